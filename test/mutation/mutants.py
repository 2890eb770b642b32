#!/usr/bin/env python3
"""Changes one operator or condition of libpool at a time, and reports which
changes no test notices.

All mutants are compiled into one copy of the tree. The environment of a test
program selects one mutant, see switch.hpp. A seed draws the mutants: equal
trees have equal mutants. Only mutants that a test reaches are counted. A mutant
is killed if a test case fails, crashes or hangs with it. Fast cases run with
each mutant that they reach. Slow cases run with the mutants that survive fast
cases.

The folder build/mutants gets mutants.tsv, cases.tsv and results.jsonl. A run
that was interrupted continues with results.jsonl.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = ROOT / ('build' + os.environ.get('LIBPOOL_BUILD_SUFFIX', ''))
OUT = BUILDS / 'mutants'
TREE, BUILD = OUT / 'tree', OUT / 'build'
FOLDERS = ['libpool/core', 'policies', 'nodes/protocol', 'actors/managed',
           'actors/gather']
SURPLUS = 1.7  # compiled mutants per counted mutant
HANGS = 2  # maximum number of programs that hang with a mutant
CRASHES = 40  # maximum number of crashes of a program with a mutant

Mutant = collections.namedtuple(
  'Mutant', 'folder file line begin end left_end right_begin operator change')


# -- sites ---------------------------------------------------------------------

def find_sites(jobs):
    """Returns all possible changes, as the plugin of clang-tidy prints them."""
    units = [each['file'] for each in
             json.loads((BUILDS / 'tidy/compile_commands.json').read_text())
             if re.search(r'libpool_(core|policies|nodes|actors)\.dir',
                          each['file'])]

    def printed(unit):
        return subprocess.run(
          ['clang-tidy', '--quiet', '-p', BUILDS / 'tidy',
           f'--load={BUILDS}/tidy/mutation_sites.so',
           '--checks=-*,libpool-mutation-sites', unit],
          check=True, capture_output=True, text=True).stdout.splitlines()

    rows = set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        for lines in threads.map(printed, units):
            rows.update(lines)
    sites = []
    texts = {}
    for row in sorted(rows):
        path, line, begin, end, left, right, operator, change = row.split('\t')
        file = os.path.relpath(path, ROOT)
        folder = next((f for f in FOLDERS if file.startswith(f + '/')), None)
        if not folder:
            continue
        text = texts.setdefault(file, (ROOT / file).read_bytes())
        # A copy of the expression is put on one line.
        if b'//' not in text[int(begin):int(end)]:
            sites.append(Mutant(folder, file, int(line), int(begin), int(end),
                                left, right, operator, change))
    return sites


def lines_of_code(folder):
    return sum(1 for path in (ROOT / folder).rglob('*.[ch]pp')
               for line in path.read_text().splitlines()
               if line.strip() and not line.strip().startswith('//'))


def quotas(count):
    """Returns the number of mutants of each folder, in proportion to its lines
    of code."""
    lines = {each: lines_of_code(each) for each in FOLDERS}
    exact = {f: count * n / sum(lines.values()) for f, n in lines.items()}
    result = {f: int(share) for f, share in exact.items()}
    for folder in sorted(FOLDERS, key=lambda f: result[f] - exact[f]):
        if sum(result.values()) < count:
            result[folder] += 1
    return result


def draw(sites, count, seed):
    """Draws mutants that do not overlap. Folders take turns, so any first part
    of the result is spread over all folders."""
    keyed = []
    for folder, quota in quotas(round(count * SURPLUS)).items():
        chosen = []
        mine = [each for each in sites if each.folder == folder]
        random.Random(f'{seed} {folder}').shuffle(mine)
        for each in mine:
            if len(chosen) < quota and not any(
                    each.file == other.file and each.begin < other.end
                    and other.begin < each.end for other in chosen):
                chosen.append(each)
        keyed += [((i + 0.5) / quota, each) for i, each in enumerate(chosen)]
    return [each for _, each in sorted(keyed)]


# -- the copied tree -----------------------------------------------------------

def rewritten(text, number, it):
    """Returns the expression in the copied tree, which has both variants."""
    switch = b'::libpool::mutation::is_on(%d)' % number
    whole = text[it.begin:it.end]
    if it.change == 'negate':
        return b'(%b != static_cast<bool>(%b))' % (switch, whole)
    if not it.operator:
        return b'(%b ? %b %b : %b)' % (switch, whole, it.change.encode(), whole)
    left = text[it.begin:int(it.left_end)]
    right = text[int(it.right_begin):it.end]
    changed = b'(%b) %b (%b)' % (left, it.change.encode(), right)
    if it.operator in ('<', '<=', '>', '>='):
        # Some types have one of the four only.
        changed = b'!((%b) %b (%b))' % (right, it.operator.encode(), left)
    # Lines keep their numbers.
    return b'(%b ? %b : %b)' % (switch, changed.replace(b'\n', b' '), whole)


def tree_files():
    return subprocess.run(['git', 'ls-files'], cwd=ROOT, check=True, text=True,
                          capture_output=True).stdout.splitlines()


def write_tree(mutants):
    """Copies the tree with these mutants; None is left out. Files that are
    equal already keep their time, and are not compiled again."""
    of_file = collections.defaultdict(list)
    for number, each in enumerate(mutants):
        if each:
            of_file[each.file].append((number, each))
    files = tree_files()
    for file in files:
        text = (ROOT / file).read_bytes()
        for number, each in sorted(of_file[file], key=lambda x: -x[1].begin):
            text = (text[:each.begin] + rewritten(text, number, each)
                    + text[each.end:])
        if of_file[file]:
            text = b'#include "%b"\n#line 1\n%b' % (
              str(TREE / 'test/mutation/switch.hpp').encode(), text)
        if file == 'test/CMakeLists.txt':
            text += (b'\nadd_library(libpool_mutation_listener OBJECT'
                     b' mutation/listener.cpp)\n'
                     b'target_sources(libpool_test_main INTERFACE'
                     b' $<TARGET_OBJECTS:libpool_mutation_listener>)\n')
        path = TREE / file
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            shutil.copymode(ROOT / file, path)
    for path in TREE.rglob('*'):
        if path.is_file() and str(path.relative_to(TREE)) not in set(files):
            path.unlink()


def configure():
    subprocess.run(
      ['cmake', '-S', TREE, '-B', BUILD, '-G', 'Ninja',
       '-D', 'CMAKE_BUILD_TYPE=RelWithDebInfo', '-D', 'CMAKE_CXX_FLAGS=-w',
       '-D', 'CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1', '-D', 'LIBPOOL_TESTS=ON',
       '-D', 'LIBPOOL_TOOLS=ON', '-D', 'LIBPOOL_PRECOMPILE=ON',
       '-D', 'CMAKE_UNITY_BUILD=ON', '-D', 'LIBPOOL_TEST_FLAGS=-O0'],
      check=True, stdout=subprocess.DEVNULL)


def build(mutants, targets, jobs):
    """Builds the tests. Replaces mutants that do not compile by None."""
    for _ in range(10):
        write_tree(mutants)
        with open(OUT / 'build.log', 'w', encoding='utf-8') as log:
            if subprocess.run(
                    ['ninja', '-C', BUILD, '-k0', f'-j{jobs}', *targets],
                    stdout=log, stderr=log, check=False).returncode == 0:
                return
        text = (OUT / 'build.log').read_text(errors='replace')
        wrong = set()
        for file, line in re.findall(
                r'([\w./]+\.[ch]pp):(\d+):\d+: +(?:error|required)', text):
            for number, each in enumerate(mutants):
                if each and file.endswith('/' + each.file):
                    last = each.line + (ROOT / each.file).read_bytes()[
                      each.begin:each.end].count(b'\n')
                    if each.line <= int(line) <= last:
                        wrong.add(number)
        if not wrong:
            break
        for number in wrong:
            print(f'does not compile: {described(mutants[number])}', flush=True)
            mutants[number] = None
    sys.exit(f'mutants: the tests do not compile, see {OUT}/build.log')


# -- tests ---------------------------------------------------------------------

def find_tests(options):
    """Returns command and environment of each test to run, by name."""
    listed = json.loads(subprocess.run(
      ['ctest', '--show-only=json-v1'], cwd=BUILD, check=True, text=True,
      capture_output=True).stdout)['tests']
    # ctest does not list the commands of programs that are not built yet.
    programs = {}
    for path in BUILD.rglob('CTestTestfile.cmake'):
        programs.update(re.findall(
          r'add_test\(\[=\[(.+?)\]=\] "(.*/test_\w+)"\)', path.read_text()))
    result = {}
    for each in listed:
        name = each['name']
        properties = {p['name']: p['value'] for p in each['properties']}
        if (name in programs
                and re.search(options.labels, ' '.join(
                  properties.get('LABELS', [])))
                and re.search(options.tests, name)
                and not re.search(options.without, name)):
            result[name] = ([programs[name]], dict(
              pair.split('=', 1) for pair in properties.get('ENVIRONMENT', [])))
    return result


Case = collections.namedtuple('Case', 'name file outcome seconds reached')


running = set()  # test programs, each of which leads a group of processes


def stop(signal_number, _):
    """Ends the test programs, and then this one."""
    for process in list(running):
        end_group(process)
    os._exit(128 + signal_number)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(test, names, mutant, limit):
    """Runs cases of a test, all if names is None. Returns the cases that began,
    and whether the program ended, crashed or hung."""
    command, environment = test
    if names is not None:
        quoted = (re.sub(r'([\\,])', r'\\\1', name) for name in names)
        command = command + ['--test-case=' + ','.join(quoted)]
    with tempfile.NamedTemporaryFile(dir=OUT, mode='r') as log:
        process = subprocess.Popen(
          ['prlimit', '--as=8589934592', '--core=0', '--fsize=200000000']
          + command, start_new_session=True, cwd=OUT,
          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
          stderr=subprocess.DEVNULL,
          env={**os.environ, 'RC_PARAMS': 'seed=1 noshrink=1', **environment,
               'LIBPOOL_MUTANT': str(mutant), 'LIBPOOL_MUTANTS_LOG': log.name})
        running.add(process)
        ended = 'hung'
        try:
            status = process.wait(limit)
            ended = 'crashed' if status < 0 or status > 1 else 'ended'
        except subprocess.TimeoutExpired:
            pass
        end_group(process)
        process.wait()
        running.discard(process)
        return parsed(log), ended


def parsed(log):
    cases = []
    before = set()  # reached before the first case
    for line in log:
        words = line.rstrip('\n').split('\t')
        if words[0] == 'case':
            cases.append(Case(words[2], words[1], None, 0.0, set(before)))
        elif words[0] == 'end' and cases:
            cases[-1] = cases[-1]._replace(outcome=words[1],
                                           seconds=float(words[2]))
        elif words[0].isdigit():
            (cases[-1].reached if cases else before).add(int(words[0]))
    return cases


def trace(tests, jobs):
    """Runs each test without a mutant. Returns the cases that pass."""
    def traced(item):
        cases, ended = run(item[1], None, -1, 3000)
        bad = [each.name for each in cases if each.outcome != 'ok']
        if ended != 'ended' or bad:
            print(f'{item[0]} {ended} without a mutant; fails: {bad}',
                  flush=True)
        return item[0], {each.name: each for each in cases
                         if each.outcome == 'ok'}
    with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
        return dict(threads.map(traced, tests.items()))


class Trial:
    """Runs tests with one mutant on."""

    def __init__(self, number, tests, traces, options):
        self.number, self.tests = number, tests
        self.traces, self.options = traces, options
        self.killers = {}  # by test and case: failed, crashed or hung
        self.not_run = []
        self.hangs = 0

    def seconds(self, test, names):
        return sum(self.traces[test][name].seconds for name in names)

    def run_cases(self, test, names):
        """Runs cases until each has an outcome or the program hangs."""
        whole = len(names) == len(self.traces[test])
        for _ in range(CRASHES):
            limit = (self.options.patience
                     + self.options.factor * self.seconds(test, names))
            cases, ended = run(self.tests[test], None if whole else names,
                               self.number, limit)
            whole = False
            seen = {each.name: each.outcome for each in cases
                    if each.name in names}
            if ended != 'ended' and cases:
                seen[cases[-1].name] = ended
            for name, outcome in seen.items():
                if outcome != 'ok':
                    self.killers[f'{test}\t{name}'] = outcome or ended
            names = [name for name in names if name not in seen]
            self.hangs += ended == 'hung'
            if not names or ended == 'hung':
                break
            if not seen:
                self.killers[f'{test}\t'] = ended  # before any case
                break
        self.not_run += [f'{test}\t{name}' for name in names]

    def run(self):
        begun = time.monotonic()
        reaching = {}
        for test, cases in self.traces.items():
            names = [each.name for each in cases.values()
                     if self.number in each.reached]
            if names:
                reaching[test] = names
        slow = self.options.slow
        for test in sorted(reaching, key=lambda t: self.seconds(
                t, reaching[t])):
            names = [name for name in reaching[test]
                     if self.traces[test][name].seconds <= slow]
            if names and self.hangs < HANGS:
                self.run_cases(test, names)
            elif names:
                self.not_run += [f'{test}\t{name}' for name in names]
        for test in sorted(reaching, key=lambda t: self.seconds(
                t, self.traces[t])):
            if not self.killers and self.seconds(
                    test, self.traces[test]) <= self.options.slowest:
                self.run_cases(test, list(self.traces[test]))
        return {'mutant': self.number, 'killers': self.killers,
                'not_run': self.not_run,
                'seconds': round(time.monotonic() - begun, 1)}


# -- report --------------------------------------------------------------------

def described(it):
    text = (ROOT / it.file).read_bytes()
    begin = text.rfind(b'\n', 0, it.begin) + 1
    end = text.find(b'\n', it.end)
    if it.operator:
        line = (text[begin:int(it.left_end)]
                + f' [{it.operator} -> {it.change}] '.encode()
                + text[int(it.right_begin):end])
    else:
        line = (text[begin:it.begin] + f'[{it.change}: '.encode()
                + text[it.begin:it.end] + b']' + text[it.end:end])
    return f'{it.file}:{it.line}: {" ".join(line.decode().split())}'


def report(mutants, counted, traces, results, options):
    done = [n for n in counted if n in results]
    kills = collections.Counter()
    alone = collections.Counter()
    with open(OUT / 'mutants.tsv', 'w', encoding='utf-8') as out:
        out.write('mutant\tstatus\tkillers\tnot run\tseconds\tchange\t'
                  'first killer\n')
        for n in done:
            it = results[n]
            kills.update(it['killers'].keys())
            if len(it['killers']) == 1:
                alone.update(it['killers'].keys())
            first = next(iter(it['killers'].items()), ('', ''))
            out.write(f"{n}\t{'killed' if it['killers'] else 'survived'}\t"
                      f"{len(it['killers'])}\t{len(it['not_run'])}\t"
                      f"{it['seconds']}\t{described(mutants[n])}\t"
                      f"{' '.join(first).replace(chr(9), ': ')}\n")
    unreached = useless = 0
    with open(OUT / 'cases.tsv', 'w', encoding='utf-8') as out:
        out.write('test\tcase\tfile\tseconds\treached\tkilled\tkilled alone\t'
                  'run with\n')
        for test, cases in sorted(traces.items()):
            for it in cases.values():
                key = f'{test}\t{it.name}'
                reached = len(it.reached & set(done))
                slow = it.seconds > options.slow
                unreached += not reached and not slow
                useless += bool(reached and not kills[key] and not slow)
                out.write(f"{key}\t{it.file[it.file.find('test/'):]}\t"
                          f"{it.seconds:.3f}\t{reached}\t{kills[key]}\t"
                          f"{alone[key]}\t"
                          f"{'survivors' if slow else 'all'}\n")
    print(f'\n{len(done)} of {options.count} mutants tried; killed:')
    for folder in FOLDERS + ['']:
        mine = [n for n in done if mutants[n].file.startswith(folder)]
        killed = sum(1 for n in mine if results[n]['killers'])
        if mine:
            print(f'  {folder or "all":16} {killed:4} of {len(mine):4}'
                  f'  {100 * killed / len(mine):5.1f} %')
    print('survivors:')
    for n in done:
        if not results[n]['killers']:
            print(f'  {n:4} {described(mutants[n])}')
    reached = set().union(*(each.reached for cases in traces.values()
                            for each in cases.values()))
    missed = [n for n, each in enumerate(mutants) if each and n not in reached]
    print(f'not reached by any case, and not counted ({len(missed)}):')
    for n in missed:
        print(f'  {n:4} {described(mutants[n])}')
    fast = sum(1 for cases in traces.values() for each in cases.values()
               if each.seconds <= options.slow)
    print(f'of {fast} fast cases, {unreached} reach no mutant, and {useless} '
          f'reach some and kill none; see mutants.tsv and cases.tsv in {OUT}')


# -- main ----------------------------------------------------------------------

def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', 1)[0])
    parser.add_argument('count', nargs='?', type=int, default=200)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--labels', default='unit|law|sim|actor|fault',
                        help='labels of the tests to run')
    parser.add_argument('--tests', default='', help='their names')
    parser.add_argument('--without', default='nats|live|metrics|poolctl|products',
                        help='names left out')
    parser.add_argument('--slow', type=float, default=0.3,
                        help='seconds; slower cases run only with mutants that '
                        'survive the others')
    parser.add_argument('--slowest', type=float, default=150,
                        help='seconds; slower programs do not run with '
                        'survivors either')
    parser.add_argument('--factor', type=float, default=10,
                        help='time limit, in times of the ordinary time')
    parser.add_argument('--patience', type=float, default=20,
                        help='seconds that are added to the limit')
    parser.add_argument('--only', metavar='N,...',
                        help='run these mutants of mutants.tsv and print what '
                        'kills them')
    parser.add_argument('--report', action='store_true',
                        help='report what results.jsonl has; run no mutant')
    return parser.parse_args()


def kept(name, fingerprint, make, read=lambda x: x):
    """Returns the value in the file, if it was made for the same fingerprint,
    and otherwise makes a new one."""
    path = OUT / name
    if path.exists():
        value = json.loads(path.read_text())
        if value['for'] == fingerprint:
            return read(value['value'])
    value = make()
    path.write_text(json.dumps({'for': fingerprint, 'value': value},
                               default=list))
    return read(value)


def main():
    options = parse_options()
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    OUT.mkdir(parents=True, exist_ok=True)
    mutants = draw(find_sites(options.jobs), options.count, options.seed)
    fingerprint = hashlib.sha256(json.dumps(
      [mutants, options.count, options.tests, options.without,
       options.labels]).encode())
    for file in tree_files():
        if (file.endswith(('.cpp', '.hpp', '.json', '.txt'))
                and not file.startswith('test/mutation/')):
            fingerprint.update((ROOT / file).read_bytes())
    fingerprint = fingerprint.hexdigest()

    write_tree(mutants)
    configure()
    tests = find_tests(options)
    targets = {os.path.basename(command[0]) for command, _ in tests.values()}

    def build_and_trace():
        build(mutants, sorted(targets), options.jobs)
        return [[n for n, each in enumerate(mutants) if not each],
                trace(tests, options.jobs)]

    def read(value):
        for n in value[0]:
            mutants[n] = None
        return {test: {name: Case(*each[:4], set(each[4]))
                       for name, each in cases.items()}
                for test, cases in value[1].items()}

    traces = kept('trace.json', fingerprint, build_and_trace, read)
    reached = set().union(*(each.reached for cases in traces.values()
                            for each in cases.values()))
    left = quotas(options.count)
    counted = []
    for number, each in enumerate(mutants):
        if each and number in reached and left[each.folder]:
            left[each.folder] -= 1
            counted.append(number)

    if options.only:
        for n in map(int, options.only.split(',')):
            print(described(mutants[n]))
            for name in Trial(n, tests, traces, options).run()['killers']:
                print('  ' + name.replace('\t', ': '), flush=True)
        return
    path = OUT / 'results.jsonl'
    lines = path.read_text().splitlines() if path.exists() else []
    if not lines or json.loads(lines[0]) != fingerprint:
        lines = [json.dumps(fingerprint)]
        path.write_text(lines[0] + '\n')
    results = {it['mutant']: it for it in map(json.loads, lines[1:])}
    todo = [] if options.report else [n for n in counted if n not in results]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads, \
            open(path, 'a', encoding='utf-8') as out:
        trials = [threads.submit(Trial(n, tests, traces, options).run)
                  for n in todo]
        for trial in concurrent.futures.as_completed(trials):
            result = trial.result()
            results[result['mutant']] = result
            out.write(json.dumps(result) + '\n')
            out.flush()
            print(f"{len(results)}/{len(counted)} "
                  f"{'killed' if result['killers'] else 'SURVIVED'} "
                  f"({len(result['killers'])}, {result['seconds']} s) "
                  f"{described(mutants[result['mutant']])}", flush=True)
    report(mutants, counted, traces, results, options)


if __name__ == '__main__':
    main()
