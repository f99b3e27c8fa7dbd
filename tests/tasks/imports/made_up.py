"""Small data in the forms of SGD and MultiWOZ 2.2, made up for tests."""

import json
from pathlib import Path
from typing import Any


def written(folder: Path, **files: Any) -> Path:
    """`folder` with a JSON file for each name; `train__dialogues_001` stands in `train`."""
    for name, data in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return folder


def slot(name: str, description: str, *values: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "is_categorical": bool(values),
        "possible_values": list(values),
    }


def diners() -> dict[str, Any]:
    """A service with places to eat, a search among them, and tables to be had at a day and time."""
    return {
        "service_name": "Diners_1",
        "description": "Places to eat, and tables in them",
        "slots": [
            slot("diner_name", "Name of the diner"),
            slot("town", "Town where the diner is"),
            slot("kitchen", "What the diner cooks", "Greek", "Thai", "Welsh"),
            slot("garden", "Whether there is a garden", "True", "False"),
            slot("seats", "Number of people at the table", "1", "2", "3", "4"),
            slot("date", "Day of the meal"),
            slot("time", "Time of the meal"),
            slot("phone", "Telephone number of the diner"),
        ],
        "intents": [
            {
                "name": "FindDiner",
                "description": "Find a diner in a town",
                "is_transactional": False,
                "required_slots": ["town"],
                "optional_slots": {"kitchen": "dontcare", "garden": "dontcare"},
                "result_slots": ["diner_name", "town", "kitchen", "garden", "phone"],
            },
            {
                "name": "BookTable",
                "description": "Book a table at a diner",
                "is_transactional": True,
                "required_slots": ["diner_name", "town", "time"],
                "optional_slots": {"seats": "2", "date": "2019-03-01"},
                "result_slots": ["diner_name", "town", "time", "seats", "date"],
            },
        ],
    }


def weather() -> dict[str, Any]:
    """A service of which something can only be asked."""
    return {
        "service_name": "Skies_1",
        "description": "The weather",
        "slots": [slot("town", "Town of the forecast"), slot("wind", "How the wind blows")],
        "intents": [
            {
                "name": "GetForecast",
                "description": "Get the forecast for a town",
                "is_transactional": False,
                "required_slots": ["town"],
                "optional_slots": {},
                "result_slots": ["town", "wind"],
            }
        ],
    }


PLACES = [
    {"diner_name": "The Ladle", "town": "Aldern", "kitchen": "Thai", "garden": "True", "phone": "555-01"},
    {"diner_name": "Blue Door", "town": "Aldern", "kitchen": "Thai", "garden": "False", "phone": "555-02"},
    {"diner_name": "Leek & Co", "town": "Brack", "kitchen": "Welsh", "garden": "False", "phone": "555-03"},
]


def user(intent: str, service: str = "Diners_1", asked: tuple[str, ...] = (), **values: Any) -> dict[str, Any]:
    """A turn of the user with the state after it."""
    held = {name.replace("__", "-"): [each] if isinstance(each, str) else each for name, each in values.items()}
    state = {"active_intent": intent, "requested_slots": list(asked), "slot_values": held}
    return {"speaker": "USER", "utterance": "…", "frames": [{"service": service, "slots": [], "state": state}]}


def system(said: str = "…", service: str = "Diners_1", **frame: Any) -> dict[str, Any]:
    """A turn of the system."""
    return {"speaker": "SYSTEM", "utterance": said, "frames": [{"service": service, "slots": [], **frame}]}


def act(act: str, slot: str, *values: str, canonical: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"act": act, "slot": slot, "values": list(values), "canonical_values": list(canonical or values)}


def search(rows: list[dict[str, str]], **parameters: str) -> dict[str, Any]:
    return {"service_call": {"method": "FindDiner", "parameters": parameters}, "service_results": rows}


def dinner(id: str = "1_00000") -> dict[str, Any]:
    """Somebody looks for Thai food, takes the Ladle, which was offered, and books it for half past seven."""
    found = {"town": "Aldern", "kitchen": "Thai"}
    taken = {**found, "diner_name": "The Ladle"}
    booked = {**taken, "time": ["half past 7", "7:30 pm"], "seats": "3", "date": "2019-03-08"}
    return {
        "dialogue_id": id,
        "services": ["Diners_1"],
        "turns": [
            user("FindDiner", **found),
            system(**search(PLACES, **found), actions=[act("OFFER", "diner_name", "The Ladle")]),
            user("BookTable", **taken),
            system(actions=[act("REQUEST", "time")]),
            user("BookTable", asked=("phone",), **booked),
            system(
                service_call={
                    "method": "BookTable",
                    "parameters": {"diner_name": "The Ladle", "town": "Aldern", "time": "19:30", "seats": "3"},
                },
                actions=[act("NOTIFY_SUCCESS", "")],
            ),
            user("NONE", **booked),
        ],
    }


def lodging() -> dict[str, Any]:
    """Rooms in the form of MultiWOZ: every intent takes every slot, and names bear the service's."""
    takes = {f"hotel-{name}": "dontcare" for name in ("name", "area", "stars", "bookday", "bookpeople")}
    return {
        "service_name": "hotel",
        "description": "rooms for the night",
        "slots": [
            slot("hotel-name", "name of the hotel"),
            slot("hotel-area", "part of town of the hotel", "north", "south"),
            slot("hotel-stars", "stars of the hotel", "2", "3", "4"),
            slot("hotel-bookday", "day of the stay", "monday", "tuesday"),
            slot("hotel-bookpeople", "number of guests", "1", "2", "3"),
            slot("hotel-phone", "telephone number of the hotel"),
            slot("hotel-ref", "reference of the booking"),
        ],
        "intents": [
            {"name": f"{verb}_hotel", "description": f"{verb} a hotel", "is_transactional": verb == "book",
             "required_slots": [], "optional_slots": takes}
            for verb in ("find", "book")
        ],
    }  # fmt: skip


def trains() -> dict[str, Any]:
    """Trains in the form of MultiWOZ, where no intent takes the train's own id."""
    names = ("departure", "destination", "day", "arriveby", "leaveat", "bookpeople")
    return {
        "service_name": "train",
        "description": "trains to other towns",
        "slots": [
            *(slot(f"train-{name}", f"{name} of the train") for name in names[:2]),
            slot("train-day", "day of the train", "monday", "tuesday"),
            *(slot(f"train-{name}", f"{name} of the train") for name in names[3:5]),
            slot("train-bookpeople", "number of tickets", "1", "2", "3"),
            slot("train-trainid", "id of the train"),
            slot("train-price", "price of the train"),
        ],
        "intents": [
            {"name": f"{verb}_train", "description": f"{verb} a train", "is_transactional": verb == "book",
             "required_slots": [], "optional_slots": {f"train-{name}": "dontcare" for name in names}}
            for verb in ("find", "book")
        ],
    }  # fmt: skip


HOTELS = [
    {"name": "alder house", "area": "north", "stars": "4", "phone": "01", "price": {"single": "60"}},
    {"name": "brook inn", "area": "south", "stars": "2", "phone": "02", "price": {"single": "40"}},
]
TRAINS = [
    {"trainID": f"TR{hour}", "departure": "ely", "destination": "norwich", "day": "monday", "leaveAt": f"{hour:02}:10",
     "arriveBy": f"{hour + 1:02}:05", "price": "9 pounds"}
    for hour in (5, 9, 13)
]  # fmt: skip
