"""Writes the gallery: reports of recorded runs and of published results, and a page that says of
each what it rests on. All that the page says comes from the reports.

    gallery.py PLIMSOLL DIRECTORY"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ["internal/cli/testdata/questions", "internal/cli/testdata/recorded"]
REFUSED = 5  # written all the same, with the reason


def main(plimsoll, out):
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        here = [run for folder in RECORDED for run in unpacked(ROOT / folder, Path(scratch))]
        ours = [entry(plimsoll, run, run, out) for run in here]
        published = sorted((ROOT / "reference").glob("*.yaml"))
        theirs = [entry(plimsoll, "reference/" + p.stem, "published-" + p.stem, out) for p in published]
    (out / "index.md").write_text(page(ours, theirs))


def unpacked(folder, scratch):
    """The names of the runs in a folder; they are unpacked below scratch and become the working directory's."""
    os.chdir(scratch)
    for packed in sorted(folder.glob("*.tar.gz")):
        name = packed.name.removesuffix(".tar.gz")
        with tarfile.open(packed) as tar:
            tar.extractall(scratch / name, filter="data")
        yield name


def entry(plimsoll, run, name, out):
    """Writes a report and gives its analysis, the machine that it was measured on, and its file."""
    report(plimsoll, run, "--format", "html", "--output", str(out / f"{name}.html"))
    analysis = json.loads(report(plimsoll, run, "--json"))["analysis"]
    machine = Path(run, "machine.json")
    return analysis, json.loads(machine.read_text()) if machine.exists() else None, f"{name}.html"


def report(plimsoll, *args):
    done = subprocess.run([plimsoll, "report", *args], stdout=subprocess.PIPE)
    if done.returncode not in (0, REFUSED):
        sys.exit(f"gallery: plimsoll report {' '.join(args)} ended with {done.returncode}")
    return done.stdout


def page(ours, theirs):
    parts = [
        "# Reports\n",
        "Each report is one file, as `plimsoll report` writes it.\n",
        "## Measured with Plimsoll\n",
        "Runs that are recorded in the repository as test data: short studies, many with a single repetition, on a"
        " machine that was busy with other work. They show what reports look like; their figures are no"
        " statement about any product.\n",
        *map(section, ours),
        "## Published results\n",
        "Figures that others published, read by Plimsoll and shown in its own report. Plimsoll did not measure them.\n",
        *map(section, theirs),
    ]
    return "\n".join(parts)


def section(of):
    analysis, machine, file = of
    study = analysis["study"]
    lines = [f"### [{escaped(study['title'])}]({file})\n"]
    if study.get("question"):
        lines.append(f"*{escaped(study['question'])}*\n")
    lines.append(escaped(analysis["headline"]) + "\n")
    lines.append("| | |\n|---|---|")
    lines += [f"| {name} | {escaped(text)} |" for name, text in labels(analysis, machine) if text]
    return "\n".join(lines) + "\n"


def labels(analysis, machine):
    run, study = analysis["run"], analysis["study"]
    if run.get("reference"):
        return [("published in", run["reference"])]
    media = "simulated" if run.get("simulated") else "those of the machine"
    if machine:
        where = f"{machine['cores']} cores ({machine['cpu_model']}), {machine['memory_bytes'] / 2**30:.0f} GiB of memory, {machine['os']}"
        if machine.get("virtual"):
            where += ", " + machine["virtual"]
    else:
        where = "not recorded"
    return [
        ("measured on", where),
        ("media", media),
        ("profile", "reduced: scaled down to fit one machine" if study.get("reduced") else ""),
        ("begun", run["started"][:10]),
        ("grade", analysis.get("grade") or ""),
    ]


def escaped(text):
    """Text of which Markdown takes only code, in backquotes, for markup."""
    for c in "\\*_|<[]":
        text = text.replace(c, "\\" + c)
    return text


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
