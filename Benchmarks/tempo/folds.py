"""Which clips are kept out together: those of one source, so that nothing is judged by what was fitted to its like."""
import collections


def folds(sources, count):
    """The fold of each source, given the source of every clip; annotated and synthetic sources are dealt out apart."""
    sizes, fold = collections.Counter(sources), {}
    for synthetic in False, True:
        load = [0] * count
        for source in sorted((s for s in sizes if s.startswith('synthetic') == synthetic), key=lambda s: (-sizes[s], s)):
            fold[source] = load.index(min(load))
            load[fold[source]] += sizes[source]
    return fold
