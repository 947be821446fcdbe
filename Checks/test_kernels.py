"""What the loops in C (Sources/Ground/CKernels) compute with AVX2, without, and on ARM.

kernels.c prints their results for made-up numbers: for the wide registers of this machine, for the baseline of its kind, and for aarch64,
which qemu runs. All must be equal to the bit but the network of landmarks, which uses FMA where it can: six digits.
"""
import pytest
from workplace import ROOT

KERNELS = ROOT / "Sources/Ground/CKernels"
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Werror", f"-I{KERNELS}/include"]
BUILDS = {
    "wide": (["clang"], []),
    "baseline": (["clang", "-DNOCTURNE_BASELINE"], []),
    "aarch64": (["clang", "--target=aarch64-linux-gnu", "-static", "-fuse-ld=lld"], ["qemu-aarch64"]),
}


@pytest.fixture(scope="module")
def results(place):
    """Lists of numbers by the name of the kernel, by the name of the build."""
    sources = [ROOT / "Checks/kernels.c", *sorted(KERNELS.glob("*.c"))]
    found = {}
    for name, (compiler, emulator) in BUILDS.items():
        place.run(*compiler, *FLAGS, *sources, "-o", place.folder / name, "-lm")
        numbers = found[name] = {}
        for line in place.run(*emulator, place.folder / name).stdout.splitlines():
            kernel, number = line.split()
            numbers.setdefault(kernel, []).append(float.fromhex(number))
    return found


@pytest.mark.parametrize("name", ["baseline", "aarch64"])
def test_numbers_are_those_of_wide_registers(results, name):
    wide, others = results["wide"], results[name]
    assert {kernel: len(numbers) for kernel, numbers in others.items()} == {kernel: len(numbers) for kernel, numbers in wide.items()}
    for kernel, numbers in wide.items():
        limit = (1e-6 if kernel == "landmarks" else 0) * max(map(abs, numbers))
        different = [pair for pair in zip(numbers, others[kernel]) if abs(pair[0] - pair[1]) > limit]
        assert not different, f"{kernel}: {len(different)} of {len(numbers)} numbers differ: {different[:3]}"
