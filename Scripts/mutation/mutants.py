"""Draws mutants, and writes a copy of the package that has all of them behind a switch."""
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import candidates
import package_targets

LANGUAGES = {".swift": "swift", ".c": "c", ".js": "js"}
# Helpers of the tests, and files that are written by a script.
LEFT_OUT = ("Sources/Testing/", "Sources/Ground/CResources/")

SWITCH_HEADER = """#pragma once
#include <stdbool.h>
bool nocturne_mutant(int number);
"""
SWITCH = """#include "CMutants.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int active;
static unsigned char *reached;
static long count;

/* A variable of the environment that the process has, or one of those that have started it: tests give programs an
   environment of its own. */
static const char *variable(const char *name, int pid, int depth) {
  static char text[65536];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  const size_t size = fread(text, 1, sizeof text - 1, file), length = strlen(name);
  fclose(file);
  text[size] = 0;
  for (char *entry = text; entry < text + size; entry += strlen(entry) + 1)
    if (!strncmp(entry, name, length) && entry[length] == '=') return strdup(entry + length + 1);
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  file = fopen(path, "r");
  if (!file) return NULL;
  const size_t stat_size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[stat_size] = 0;
  char *end = strrchr(text, ')');
  int parent = 0;
  if (!end || sscanf(end + 1, " %*c %d", &parent) != 1 || parent < 2 || depth == 8) return NULL;
  return variable(name, parent, depth + 1);
}

/* A byte of the file for each mutant that was reached, by whichever process. */
__attribute__((constructor)) static void read_environment(void) {
  const char *number = variable("NOCTURNE_MUTANT", getpid(), 0);
  active = number ? atoi(number) : 0;
  const char *path = variable("NOCTURNE_REACHED", getpid(), 0);
  const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return;
  void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return;
  reached = bytes;
  count = status.st_size;
}

bool nocturne_mutant(int number) {
  if (number < count) reached[number] = 1;
  return number == active;
}
"""
MANIFEST = """
// Faults behind a switch, each alone; see Scripts/mutate.
package.targets.append(.target(name: "CMutants", path: "CMutants"))
for target in package.targets where target.path?.hasPrefix("Sources/") == true && target.type != .system {
  target.dependencies.append("CMutants")
}
"""
SUPPORT = """internal import CMutants

@usableFromInline func isMutant(_ number: Int32) -> Bool { nocturne_mutant(number) }
@usableFromInline func mutated<T>(_ number: Int32, _ wrong: T, _ right: T) -> T { isMutant(number) ? wrong : right }
@usableFromInline func mutatedMin<T: Comparable>(_ number: Int32, _ first: T, _ others: T...) -> T {
  isMutant(number) ? others.reduce(first) { Swift.max($0, $1) } : others.reduce(first) { Swift.min($0, $1) }
}
@usableFromInline func mutatedMax<T: Comparable>(_ number: Int32, _ first: T, _ others: T...) -> T {
  isMutant(number) ? others.reduce(first) { Swift.min($0, $1) } : others.reduce(first) { Swift.max($0, $1) }
}
"""
COMPARISON = """
infix operator {name}: ComparisonPrecedence
@usableFromInline func {name} <T: {constraint}>(_ a: T, _ b: T) -> Bool {{ isMutant({number}) ? a {new} b : a {old} b }}
"""
WITH_NIL = """
@usableFromInline func {name} <T>(_ a: T?, _ b: _OptionalNilComparisonType) -> Bool {{ isMutant({number}) ? a {new} b : a {old} b }}
"""
LOGIC = """
infix operator {name}: {precedence}
@usableFromInline func {name} (_ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool {{
  isMutant({number}) ? (try a {new} b()) : (try a {old} b())
}}
"""
ARITHMETIC = """
infix operator {name}: AdditionPrecedence
@usableFromInline func {name} <T: AdditiveArithmetic>(_ a: T, _ b: T) -> T {{ isMutant({number}) ? a {new} b : a {old} b }}
"""


def operator_name(number):
    """An operator of its own for each mutant, since only so its operands need not be known."""
    return "⋈" + chr(0x2190 + number // 100) + chr(0x2190 + number % 100)


def operator(mutant, number):
    name, old, new = operator_name(number), mutant.old, mutant.new
    given = {"name": name, "number": number, "old": old, "new": new}
    if old in ("&&", "||"):
        precedence = {"&&": "LogicalConjunctionPrecedence", "||": "LogicalDisjunctionPrecedence"}[old]
        return LOGIC.format(precedence=precedence, **given)
    if old in ("+", "-"):
        return ARITHMETIC.format(**given)
    if old in ("==", "!="):
        return COMPARISON.format(constraint="Equatable", **given) + WITH_NIL.format(**given)
    return COMPARISON.format(constraint="Comparable", **given)


def all_candidates(root):
    listed = subprocess.run(["git", "ls-files", "Sources"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for path in sorted(listed):
        language = LANGUAGES.get(Path(path).suffix)
        if language and not path.startswith(LEFT_OUT):
            found += candidates.Source(path, (root / path).read_text(), language).candidates()
    return found


def draw(found, count, seed, equivalent):
    """`count` candidates in an order that the seed gives: each kind is as likely as the others, and each of a kind.

    No two overlap.
    """
    generator = random.Random(seed)
    kinds = {kind: [one for one in found if one.kind == kind and one.key not in equivalent] for kind in candidates.KINDS}
    for some in kinds.values():
        generator.shuffle(some)
    drawn, taken = [], {}
    while len(drawn) < count and any(kinds.values()):
        some = kinds[generator.choice([kind for kind in candidates.KINDS if kinds[kind]])]
        one = some.pop()
        start, end = one.changes[0][0], one.changes[-1][1]
        if all(end < other_start or other_end < start for other_start, other_end in taken.get(one.path, [])):
            taken.setdefault(one.path, []).append((start, end))
            drawn.append(one)
    return drawn


def room(path):
    return Path(path).parts[1]


def module(path):
    """The folder below the room, which is the name of the target."""
    return Path(path).parts[2]


def support(path):
    """The file with the functions that the mutants of a module in Swift call."""
    return str(Path(*Path(path).parts[:3]) / "Mutants.swift")


class Copy:
    """The package with mutants, which have numbers from 1."""

    def __init__(self, root, folder, mutants):
        self.root, self.folder, self.mutants = root, folder, dict(mutants)
        # The files that hold mutants, and the modules in Swift that need their support.
        self.paths = {mutant.path for mutant in mutants.values()}
        self.supported = {support(path) for path in self.paths if path.endswith(".swift")}

    def prepare(self):
        """Writes all that does not depend on which mutants compile."""
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=self.root, capture_output=True, check=True).stdout
        copied = {os.fsdecode(name) for name in listed.split(b"\0") if name} - self.paths - {"Package.swift"}
        texts = {
            "CMutants/include/CMutants.h": SWITCH_HEADER, "CMutants/CMutants.c": SWITCH,
            "Package.swift": (self.root / "Package.swift").read_text() + MANIFEST,
        }
        kept = copied | texts.keys() | self.paths | self.supported | {"Package.resolved"}
        for folder, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".build"]
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.folder)
                if path not in kept:
                    os.unlink(self.folder / path)
        for name in copied:
            self.copy(name)
        for name, text in texts.items():
            self.write(name, text)

    def write_mutants(self):
        own, operators = {path: [] for path in self.paths}, {path: "" for path in self.supported}
        for number, mutant in self.mutants.items():
            own[mutant.path].append((number, mutant))
            if any(text.startswith("OPERATOR") for *_, text in mutant.changes):
                operators[support(mutant.path)] += operator(mutant, number)
        for path, some in own.items():
            self.write(path, self.changed(path, some))
        for path, text in operators.items():
            self.write(path, SUPPORT + text)

    def write(self, name, text):
        """Only if it differs, so that a build compiles no more than it must."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def copy(self, name):
        source, path = self.root / name, self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if not path.is_symlink():
                path.symlink_to(os.readlink(source))
        elif source.exists() and (not path.exists() or path.read_bytes() != source.read_bytes()):
            shutil.copy2(source, path)

    def changed(self, path, mutants):
        """The text of a file with its mutants, of which no two overlap."""
        text, out, place = (self.root / path).read_text(), [], 0
        for start, end, new, number in sorted((*change, number) for number, mutant in mutants for change in mutant.changes):
            new = operator_name(number) if new.startswith("OPERATOR") else new.replace("NUMBER", str(number))
            out += [text[place:start], new]
            place = end
        return ("#include \"CMutants.h\"\n#line 1\n" if path.endswith(".c") else "") + "".join(out) + text[place:]

    def build(self, command):
        """Compiles all mutants, leaving out those that do not compile; returns those that do."""
        for _ in range(40):
            self.write_mutants()
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            if done.returncode == 0:
                return self.mutants
            output = done.stdout + done.stderr
            wrong = self.wrong(output)
            if not wrong:
                sys.exit(f"mutate: the build failed, and not because of a mutant:\n{output[-4000:]}")
            for number in wrong:
                print(f"mutate: does not compile: {describe(self.mutants.pop(number))}", file=sys.stderr, flush=True)
        sys.exit("mutate: the build keeps failing")

    def wrong(self, output):
        """The mutants on the lines of the compiler's errors; in files without such, all; for errors in the support, all of the module."""
        errors = {(name, int(line)) for name, line in re.findall(r"(?:^|/)(Sources/[^:\n]+):(\d+):\d+: error:", output, re.M)}
        files = {name for name, _ in errors}
        of_lines = [number for number, mutant in self.mutants.items() if any((mutant.path, line) in errors for line in self.lines(mutant))]
        told = {self.mutants[number].path for number in of_lines}
        of_files = [number for number, mutant in self.mutants.items() if mutant.path in files - told]
        return of_lines + of_files or [number for number, mutant in self.mutants.items() if support(mutant.path) in files]

    def lines(self, mutant):
        text = (self.root / mutant.path).read_text()[mutant.changes[0][0]:mutant.changes[-1][1]]
        return range(mutant.line, mutant.line + text.count("\n") + 1)


def describe(mutant):
    return f"{mutant.path}:{mutant.line}: {mutant.kind}: {mutant.old} → {mutant.new or 'left out'}"


def read_equivalent(path):
    """Mutants that change nothing one can see, with a reason each."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {"\t".join(line.split("\t")[:3]) for line in lines if line and not line.startswith("#")}


def read_modules():
    """For each module its test modules, own and those above, by Package.swift; and the test modules that start whole programs."""
    targets = package_targets.read(["--ignore-lock"])
    users = {name: {other for other, target in targets.items() if name in target.own} for name in targets}
    tests = {name for name, target in targets.items() if target.kind == "test"}
    above = {name: package_targets.reachable(users, name) & tests for name in targets}

    def own(name):
        """Those of its name; else those that import it, in its room if there are any; for a C library, those of its callers."""
        if f"{name}Tests" in above[name]:
            return {f"{name}Tests"}
        importing = users[name] & tests
        if name.startswith("C") and name[1].isupper():
            return importing.union(*(own(other) for other in users[name] - tests if targets[other].kind == "regular"))
        near = {other for other in above[name] if targets[other].room == targets[name].room}
        return importing & near or importing or near

    late = {name for name in tests if any(targets[other].kind == "executable" for other in targets[name].own)}
    return {name: (own(name), above[name] - own(name)) for name in targets}, late
