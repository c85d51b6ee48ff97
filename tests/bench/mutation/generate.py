"""Prints every mutant of a source file as JSON lines; runs in the environment of Cosmic Ray, which generates them.

build/mutation-tool/bin/python tests/bench/mutation/generate.py companion/kernel/ledger.py
"""

import json
import sys
from pathlib import Path


def main(path: Path) -> None:
    """Print operator, position and mutated source of each mutant of a file."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    source = path.read_text(encoding="utf-8")
    tree = get_ast(source)
    for name in sorted(operator_names()):
        if get_operator(name).arguments():  # needs variable names as arguments
            continue
        operator = get_operator(name)()
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (start, end) in enumerate(places):
            try:
                mutated = mutate_code(source, operator, occurrence)
            except AttributeError:  # it cannot replace a dotted exception name
                continue
            if mutated is not None:
                told = {"operator": name.removeprefix("core/"), "start": start, "end": end, "source": mutated}
                print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
