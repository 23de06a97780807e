"""Mutants of C sources: where a line can be changed by one operator, and to what.

Only the bodies of functions and constants of enumerations are changed; never comments, strings, preprocessor lines,
assertions and calls that only log.
"""
import hashlib
import re

TOKEN = re.compile(r'''(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\])*"|[uUL]?'(?:\\.|[^'\\])*')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])''',
                   re.S | re.M | re.X)
NOT_MUTATED = {'assert', 'static_assert', '_Static_assert', 'az_log_line'}
# Calls in which a larger number is only more room.
ROOM = {'az_arena_array', 'az_arena_alloc', 'az_mem_alloc', 'az_mem_calloc', 'az_map_init', 'az_vec_reserve', 'az_set_init', 'az_size_mul', 'az_size_add'}
DECLARES = {'const', 'static', 'struct', 'enum', 'union', 'unsigned', 'signed', 'int', 'char', 'long', 'short', 'float',
            'double', 'bool', 'void', 'extern', 'typedef', 'register', 'size_t', 'AZ_VEC', '_Atomic', 'volatile'}
CONTROLS = {'return', 'goto', 'break', 'continue', 'case', 'default', 'if', 'else', 'for', 'while', 'do', 'switch'}
ASSIGNS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '++', '--'}
SWAPS = {
    'relational': {'<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'], '==': ['!='], '!=': ['==']},
    'arithmetic': {'+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'], '+=': ['-='], '-=': ['+='], '++': ['--'],
                   '--': ['++']},
    'logical': {'&&': ['||'], '||': ['&&']},
    'bits': {'&': ['|'], '|': ['&'], '^': ['|'], '<<': ['>>'], '>>': ['<<'], '|=': ['&='], '&=': ['|=']},
}
SPACED = {'+', '-', '*', '/', '%', '&', '|', '^', '<', '>'}  # clang-format sets spaces around these where they are binary
EDGES = {'SIZE_MAX', 'INT64_MAX', 'INT64_MIN', 'UINT64_MAX', 'UINT32_MAX', 'UINT16_MAX', 'INT_MAX', 'INT32_MAX'}


class Token:
    __slots__ = ('kind', 'text', 'at', 'end', 'function', 'depth')

    def __init__(self, kind, text, at):
        self.kind, self.text, self.at, self.end = kind, text, at, at + len(text)
        self.function, self.depth = None, 0


class Mutant:
    """One change of a source: the bytes [at, end) of path become new."""

    def __init__(self, path, source, function, operator, at, end, new):
        self.path, self.function, self.operator = path, function, operator
        self.at, self.end, self.old, self.new = at, end, source[at:end], new
        self.line = source.count('\n', 0, at) + 1
        begin = source.rfind('\n', 0, at) + 1
        stop = source.find('\n', at)
        self.text = ' '.join(source[begin:stop if stop >= 0 else len(source)].split())
        self.column = at - begin

    def change(self):
        def short(text):
            text = ' '.join(text.split())
            return text if len(text) <= 60 else text[:57] + '...'
        return "%s '%s' -> '%s'" % (self.operator, short(self.old), short(self.new))

    def place(self):
        return '%s:%d: %s' % (self.path, self.line, self.change())

    def content(self):
        """What stays the same when the line moves, or its file."""
        return '%s(): %s in: %s' % (self.function, self.change(), self.text)

    def apply(self, source):
        new = self.new + '\n' * (self.old.count('\n') - self.new.count('\n'))
        return source[:self.at] + new + source[self.end:]


def tokens_of(source):
    found = []
    for m in TOKEN.finditer(source):
        if m.lastgroup != 'skip':
            found.append(Token(m.lastgroup, m.group(), m.start()))
    return found


def closing(tokens, i):
    """Index of the bracket that closes tokens[i]."""
    depth = 0
    for k in range(i, len(tokens)):
        if tokens[k].text in ('(', '[', '{'):
            depth += 1
        elif tokens[k].text in (')', ']', '}'):
            depth -= 1
            if depth == 0:
                return k
    return len(tokens) - 1


def mark_functions(tokens):
    """Sets the function of each token inside a body; 'enum' for those inside an enumeration."""
    i = 0
    while i < len(tokens):
        t = tokens[i]
        if t.text != '{':
            i += 1
            continue
        end = closing(tokens, i)
        name = None
        if i and tokens[i - 1].text == ')':
            depth = 0
            for k in range(i - 1, 0, -1):
                depth += (tokens[k].text == ')') - (tokens[k].text == '(')
                if depth == 0:
                    name = tokens[k - 1].text
                    break
        elif i and (tokens[i - 1].text == 'enum' or (i > 1 and tokens[i - 2].text == 'enum')):
            name = 'enum'
        if name:
            for k in range(i + 1, end):
                tokens[k].function = name
        i = end + 1


def left_out(tokens):
    """Indices of tokens that are never changed: arguments of assertions and logging, attributes, initialized tables."""
    out = set()
    for i, t in enumerate(tokens):
        if t.text in NOT_MUTATED and i + 1 < len(tokens) and tokens[i + 1].text == '(':
            out.update(range(i, closing(tokens, i + 1) + 1))
        elif t.text == '__attribute__' and i + 1 < len(tokens):
            out.update(range(i, closing(tokens, i + 1) + 1))
    return out


def spaced(source, t):
    return source[t.at - 1:t.at].isspace() and source[t.end:t.end + 1].isspace()


def statement_end(tokens, i):
    """Index of the ';' that ends the expression statement at i; None: it holds a block."""
    depth = 0
    for k in range(i, len(tokens)):
        x = tokens[k].text
        if x in '([' or x == '{':
            depth += 1
        elif x in ')]' or x == '}':
            depth -= 1
            if depth < 0:
                return None
        elif x == ';' and depth == 0:
            return k
    return None


def is_declaration(tokens, i):
    a, b = tokens[i], tokens[i + 1]
    if a.text in DECLARES or a.text in CONTROLS:
        return True
    return a.kind == 'word' and (b.kind == 'word' or (b.text == '*' and tokens[i + 2].kind == 'word'
                                                      and tokens[i + 2].at == b.end))


def statement_starts(tokens):
    """Indices at which an expression statement may begin."""
    for i in range(1, len(tokens) - 2):
        before = tokens[i - 1].text
        if before in (';', '{', '}', 'else', 'do', ':'):
            yield i
        elif before == ')':
            depth = 0
            for k in range(i - 1, 0, -1):
                depth += (tokens[k].text == ')') - (tokens[k].text == '(')
                if depth == 0:
                    if tokens[k - 1].text in ('if', 'for', 'while', 'switch'):
                        yield i
                    break


def rooms(tokens, calls=None):
    """Indices of tokens that are a number of bytes or elements to have room for: more of them changes nothing."""
    found = set()
    for i, t in enumerate(tokens[:-1]):
        if t.text in (calls or ROOM) and tokens[i + 1].text == '(':
            found.update(range(i, closing(tokens, i + 1) + 1))
        if t.text == '[' and t.function and not calls:
            start = i
            while start and tokens[start - 1].text not in (';', '{', '}', '=', '(', ')'):
                start -= 1
            if tokens[start - 1].text in (';', '{', '}') and start + 2 < i and tokens[start].text not in CONTROLS \
                    and is_declaration(tokens, start):
                found.update(range(i, closing(tokens, i) + 1))
    return found


class Finder:
    def __init__(self, path, source):
        self.path, self.source = path, source
        self.tokens = tokens_of(source)
        mark_functions(self.tokens)
        self.out = left_out(self.tokens)
        self.rooms = rooms(self.tokens)
        self.starts = rooms(self.tokens, {'az_map_init', 'az_vec_reserve'})  # what starts small grows
        self.found = []

    def add(self, operator, first, last, new):
        if any(k in self.out for k in range(first, last + 1)) or not self.tokens[first].function:
            return
        at, end = self.tokens[first].at, self.tokens[last].end
        self.found.append(Mutant(self.path, self.source, self.tokens[first].function, operator, at, end, new))

    def swaps(self, i, t):
        for operator, table in SWAPS.items():
            if t.text in table and (t.text not in SPACED or spaced(self.source, t)):
                for new in table[t.text]:
                    self.add(operator, i, i, new)

    def constants(self, i, t):
        if t.kind == 'number' and i in self.starts:
            return
        if t.kind == 'number' and re.fullmatch(r'\d+[uUlL]*', t.text):
            digits = re.match(r'\d+', t.text).group()
            tail = t.text[len(digits):]
            n = int(digits) if digits == '0' or digits[0] != '0' else None
            if n is not None:
                if i not in self.rooms:
                    self.add('constant', i, i, '%d%s' % (n + 1, tail))
                if n:
                    self.add('constant', i, i, '%d%s' % (n - 1, tail))
        elif t.text in ('true', 'false') and self.tokens[i - 1].text != 'return':
            self.add('constant', i, i, 'false' if t.text == 'true' else 'true')
        elif t.text in EDGES:
            self.add('constant', i, i, '(%s %s 1)' % (t.text, '+' if t.text.endswith('MIN') else '-'))

    def indexes(self, i, t):
        if t.text != '[' or self.tokens[i - 1].kind not in ('word', 'op') or self.tokens[i - 1].text in ('{', ',', '('):
            return
        end = closing(self.tokens, i)
        inside = self.tokens[i + 1:end]
        if not inside or any(x.kind != 'word' and x.text not in ('.', '->') for x in inside):
            return
        text = self.source[inside[0].at:inside[-1].end]
        if not text.isupper():  # the length of an array
            self.add('index', i + 1, end - 1, text + ' + 1')
            self.add('index', i + 1, end - 1, text + ' - 1')

    def negations(self, i, t):
        if t.text == '!':
            self.add('logical', i, i, '')
        elif t.text == '~':
            self.add('bits', i, i, '')

    def ternaries(self, i, t):
        if t.text != '?':
            return
        depth = nest = 0
        colon = end = None
        for k in range(i + 1, len(self.tokens)):
            x = self.tokens[k].text
            if x in ('(', '[', '{'):
                depth += 1
            elif x in (')', ']', '}'):
                depth -= 1
            if depth < 0 or (depth == 0 and x in (',', ';') and colon):
                end = k
                break
            if depth == 0 and x == '?':
                nest += 1
            elif depth == 0 and x == ':' and nest:
                nest -= 1
            elif depth == 0 and x == ':' and colon is None:
                colon = k
            elif depth == 0 and x == ':':
                end = k
                break
        if not colon or not end or end <= colon + 1 or colon <= i + 1:
            return
        s, tk = self.source, self.tokens
        a, b = s[tk[i + 1].at:tk[colon - 1].end], s[tk[colon + 1].at:tk[end - 1].end]
        if a != b:
            self.add('ternary', i + 1, end - 1, '(%s) : (%s)' % (b, a))

    def jumps(self, i, t):
        if t.text in ('break', 'continue') and self.tokens[i + 1].text == ';':
            self.add('jump', i, i, '')

    def returns(self, i, t):
        if t.text != 'return' or self.tokens[i + 1].text == ';':
            return
        end = statement_end(self.tokens, i)
        if end is None:
            return
        value = ' '.join(self.source[self.tokens[i + 1].at:self.tokens[end - 1].end].split())
        new = {'0': '-1', '-1': '0', 'true': 'false', 'false': 'true', 'NULL': None}.get(value, '0')
        if new is not None:
            self.add('return', i + 1, end - 1, new)

    def deletions(self):
        for i in statement_starts(self.tokens):
            if not self.tokens[i].function or is_declaration(self.tokens, i):
                continue
            end = None if self.tokens[i].text == '{' else statement_end(self.tokens, i)
            if end is None or end == i or self.tokens[i + 1].text == ':':
                continue
            inside = {x.text for x in self.tokens[i:end]}
            text = self.source[self.tokens[i].at:self.tokens[end].at]
            if text.startswith('(void)') and '(' not in text[6:]:
                continue
            if inside & ASSIGNS or '(' in inside:
                self.add('delete', i, end - 1, '')

    def all(self):
        for i, t in enumerate(self.tokens[:-1]):
            if not t.function or not i:
                continue
            self.constants(i, t)
            if t.function == 'enum':
                continue
            for step in (self.swaps, self.indexes, self.negations, self.ternaries, self.jumps, self.returns):
                step(i, t)
        self.deletions()
        return self.found


def rank(seed, *parts):
    return hashlib.sha256('\0'.join([str(seed), *map(str, parts)]).encode()).hexdigest()


def in_order(mutants, seed):
    """One mutant a line, in an order that the seed and the content of lines give: a line that moves keeps its place."""
    lines, copies = {}, {}
    for m in mutants:
        lines.setdefault((m.path, m.line), []).append(m)
    ordered = []
    for (path, _), of_line in sorted(lines.items()):
        first = of_line[0]
        copy = copies[(first.function, first.text)] = copies.get((first.function, first.text), 0) + 1
        key = rank(seed, first.function, first.text, copy)
        operators = {}
        for m in of_line:
            operators.setdefault(m.operator, []).append(m)
        operator = min(operators, key=lambda o: rank(seed, key, o))
        chosen = min(operators[operator], key=lambda m: rank(seed, key, m.column, m.new))
        ordered.append((key, chosen))
    return [m for _, m in sorted(ordered, key=lambda x: x[0])]
