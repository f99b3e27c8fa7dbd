"""Holding a tournament: the judge is asked what it has not said yet, and what it says is recorded."""

from collections.abc import Sequence
from pathlib import Path

from duologue.agents.duel import Duel
from duologue.agents.models.door import Models, bare
from duologue.agents.umpire import Umpire
from duologue.campaign import Campaign, JudgeSpec
from duologue.duels.draw import Bout
from duologue.duels.record import KIND, answers, standing
from duologue.duels.ring import Ring
from duologue.duels.spectator import Spectator
from duologue.duels.till import Till
from duologue.duels.tournament import Card
from duologue.interrupts import interruptible
from duologue.money.budget import priced
from duologue.money.prices import price_of, prices_file
from duologue.profiles.dataset import open_dataset
from duologue.provenance import campaign_of, check_unchanged, contents
from duologue.record.store import Lock, appending, new_files
from duologue.record.stored import Shelf
from duologue.scoring.judging import Judging
from duologue.selection import select
from duologue.tasks.written import BadInput

__all__ = ["hold"]


async def hold(
    card: Card, judge: JudgeSpec, spectator: Spectator | None = None, budget: float | None = None
) -> tuple[Judging, str]:
    """Have `judge` answer every bout of the card that it has not answered yet, and record what it says.

    Gives whose answers they are, and why the budget stopped it, if it did. `budget` is what the judge may cost in all,
    what stands of it included. The first Ctrl-C ends after the calls in flight, the second at once.
    Raises BadInput where something cannot work, and StoreFault where the disk stops taking the record.
    """
    first, spectator = card.runs[0], spectator or Spectator()
    campaign = campaign_of(first.manifest, first.folder)
    campaign = priced(campaign.model_copy(update={"judge": judge}))
    data = open_dataset(campaign.data, Path(campaign.beside))
    check_unchanged(first.manifest.data, contents(data, select(campaign, data)), first.folder)
    async with Models(campaign.cache_file) as models:
        umpire = Umpire(models.open(bare(judge, Path(campaign.beside), campaign.limits.of_calls)), card.rubric)
        by = Judging(rubric=umpire.fingerprint, rubric_name=card.rubric.name, judge=umpire.model.name)
        with Lock(card.folder.absolute()):
            given = answers(card.recorded()[0], by, card.bouts)
            if not (bouts := card.left(standing(given))):
                return by, ""
            till = _till(budget, judge, campaign, given, card.folder)
            spectator.planned(len(bouts))
            await umpire.model.start()
            shelves = _shelves(card)
            ring = Ring(umpire, data, shelves, campaign.seed, spectator.note)
            await _recorded(card.folder, ring, bouts, models.most_at_once(campaign.limits.concurrency), spectator, till)
            for sentence in (*models.adaptations, *models.gates.told):
                spectator.note(sentence)
    return by, till.told


def _till(budget: float | None, judge: JudgeSpec, campaign: Campaign, given: Sequence[Duel], folder: Path) -> Till:
    """What watches the budget. Raises BadInput where the judge has no price, or where the budget is spent."""
    price = price_of(judge.model_dump(), campaign.prices)
    if budget is not None and price is None:
        raise BadInput(
            f"a budget needs the price of {judge.model}",
            "--budget",
            f'Write it into [prices] in {prices_file()}: "{judge.model}" = {{ input = 0.40, output = 1.60 }}',
        )
    till = Till(budget, price, campaign.prices.currency)
    for duel in given:
        till.pay(duel.usage)
    if till.empty:
        raise BadInput(
            f"the budget of {budget:g} {campaign.prices.currency} is spent ({till.spent:.4g} so far)",
            folder,
            f"Give a higher one: --budget {2 * till.spent:.4g}",
        )
    return till


def _shelves(card: Card) -> dict[Path, Shelf]:
    """The dialogues that meet, by their runs' folders."""
    cells: dict[Path, list[str]] = {}
    for bout in card.bouts:
        for folder, entry in zip(bout.match.folders, (bout.match.a, bout.match.b), strict=True):
            cells.setdefault(folder, []).append(entry.cell)
    return {folder: Shelf(folder.absolute(), held) for folder, held in cells.items()}


async def _recorded(
    folder: Path, ring: Ring, bouts: Sequence[Bout], concurrency: int, spectator: Spectator, till: Till
) -> None:
    """Have `ring` put `bouts`, and write the answers as they come. Raises StoreFault."""
    path = new_files(folder, [KIND])[KIND]
    with appending(path, ring.abandon, "give the same command again") as writer:

        def heard(duel: Duel) -> None:
            writer.append(duel)
            spectator.heard(duel)
            till.watch(duel.usage, ring.halt)

        with interruptible(ring, patient=True):
            await ring.run(bouts, concurrency, heard)
