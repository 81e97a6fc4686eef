# The broker: starts fork servers, gives each call a slot, keeps its time, and collects what it prints. It loads no module
# for a snippet and runs none, so that it has nothing that code could reach.
#
# Frames to and from the host: length, kind, then the body; integers are big-endian. The host closes the pipe, or dies:
# everything ends.
import _socket
import ctypes
import json
import os
import select
import struct
import sys
import time
from collections import deque

FRAME, CALL, ID = struct.Struct('>IB'), struct.Struct('>IIB'), struct.Struct('>I')
ENDED = struct.Struct('>IBIdddQQIIQII')
RUN, CANCEL, HELLO, RESULT = 1, 2, 3, 4
BY_ITSELF, BY_CLOCK, BY_OUTPUT, BY_FOLDER, BY_FAILURE = range(5)
TO_SERVER, FROM_SERVER = struct.Struct('=cxxxI'), struct.Struct('=cBxxiddq')
FULL, LAST = 1, 2  # what a server says besides: its folder was full; it takes no other call
START_SECONDS, STUCK_SECONDS, MOST_STARTS = 60, 5, 3
# What a server must give for its level, tried by a call of its own before any other.
TRIALS = {
    'limits': ('', '42'),
    'seccomp': ('fork socket write', '42 refused refused refused'),
    'seatbelt': ('fork socket write look signal', '42 refused refused refused refused refused'),
    'landlock': ('fork socket write list', '42 refused refused refused refused'),
    'namespaces': ('fork socket write list', '42 refused refused refused refused'),
}
TRIAL = """
import os, _socket
def attempt(work):
    try:
        result = work()
    except OSError:
        return 'refused'
    if result == 0: os._exit(0)
    return 'allowed'
works = {'fork': lambda: os.fork(), 'socket': lambda: _socket.socket(), 'write': lambda: os.open(%r, os.O_WRONLY | os.O_CREAT) or 1,
    'list': lambda: os.listdir('/proc') + os.listdir('/etc') + os.listdir('/'),
    'look': lambda: os.listdir('/private/etc'), 'signal': lambda: os.kill(os.getppid(), 0) or 1}
print(6 * 7, *[attempt(works[name]) for name in %r.split()])
"""


class Call:
    __slots__ = ('id', 'kind', 'seed', 'code', 'arrived', 'started', 'tries', 'order', 'answer')

    def __init__(self, id, kind, seed, code, answer):
        self.id, self.kind, self.seed, self.code, self.answer = id, kind, seed, code, answer
        self.arrived, self.started, self.tries, self.order = time.monotonic(), 0.0, 0, 0


class Stream:
    """Head and tail of what comes out of a pipe; the length of all of it."""

    __slots__ = ('file', 'head', 'tail', 'total', 'limit')

    def __init__(self, file, limit):
        self.file, self.limit, self.head, self.tail, self.total = file, limit, b'', b'', 0

    def read(self):
        """Takes what is there. False at the end."""
        for _ in range(4):
            try:
                data = os.read(self.file, 65536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.total += len(data)
            if not self.tail and len(self.head) + len(data) <= self.limit:
                self.head += data  # all of it, so far
                continue
            if not self.tail:
                data, self.head = self.head + data, b''
                self.head, data = data[:self.limit // 4], data[self.limit // 4:]
            self.tail = (self.tail + data)[self.limit // 4 - self.limit:]
            if len(data) < 65536:
                return True
        return True


class Server:
    """A slot of one kind: starting, idle, or at a call."""

    def __init__(self, kind, sock, slot, attempt):
        self.kind, self.sock, self.slot, self.ready, self.call = kind, sock, slot, False, None
        self.attempt = attempt
        self.streams, self.deadline, self.ending, self.reply = (), time.monotonic() + START_SECONDS, BY_ITSELF, b''


class Kind:
    """One sort of fork server: its template, its slots and the calls that wait for it."""

    def __init__(self, name, modules, warm_up):
        self.name, self.modules, self.warm_up = name, modules, warm_up
        self.pid, self.sock, self.waiting, self.idle, self.starting, self.slots = 0, None, deque(), [], 0, 0
        self.failures, self.reason = 0, ''  # attempts in a row to have a server

    def fail(self, attempt, reason):
        """Servers that were started together fail together: that is one failure."""
        if attempt == self.failures:
            self.failures += 1
        self.reason = reason


class Broker:
    def __init__(self, settings):
        self.settings, self.level = settings, ''
        self.kinds = [Kind(*kind) for kind in settings['kinds']]
        self.poll, self.owners, self.servers, self.calls = select.poll(), {}, set(), {}
        self.running, self.order, self.out, self.input = 0, 0, bytearray(), bytearray()
        self.slots, self.held, self.slot = settings['slots'], False, 0
        os.set_blocking(0, False)
        os.set_blocking(1, False)
        self.poll.register(0, select.POLLIN)

    # Levels

    def climb(self):
        """Takes the first level whose trial comes out right, on the first kind of server."""
        refused = []
        for level in self.settings['levels']:
            self.level = level
            reason = self.try_level(level)
            if reason is None:
                hello = {'level': level, 'refused': refused}
                self.send(HELLO, json.dumps(hello).encode())
                return self.flush()
            refused.append({'level': level, 'reason': reason})
            self.end_kind(self.kinds[0], reason)
        self.send(HELLO, json.dumps({'level': None, 'refused': refused}).encode())
        self.flush()
        os._exit(1)

    def try_level(self, level):
        names, expected = TRIALS[level]
        results = []
        code = TRIAL % (self.settings['trialFile'], names)
        call = Call(0, 0, 0, code.encode(), lambda call, *result: results.append((*result, result[2] and result[2].streams)))
        self.kinds[0].failures = MOST_STARTS - 1
        self.enqueue(call)
        until = time.monotonic() + START_SECONDS
        while not results:
            if time.monotonic() > until:
                return 'its trial does not end'
            self.turn()
        self.kinds[0].failures = 0
        ending, status, _, _, usage, streams = results[0]
        if ending == BY_FAILURE:
            return usage
        said = streams[0].head.decode('utf-8', 'replace').strip()
        if status == 0 and said == expected:
            return None
        errors = streams[1].head.decode('utf-8', 'replace').strip().split('\n')[-1]
        return f'its trial gave "{said or errors or status}" and not "{expected}"'

    # Calls

    def enqueue(self, call, first=False):
        kind = self.kinds[call.kind]
        if first:
            kind.waiting.appendleft(call)
        else:
            self.order += 1
            call.order = self.order
            kind.waiting.append(call)
        self.dispatch()

    def dispatch(self):
        while self.running < self.slots:
            best = None
            for kind in self.kinds:
                if kind.waiting and kind.idle and (best is None or kind.waiting[0].order < best.waiting[0].order):
                    best = kind
            if best is None:
                break
            self.begin(best.idle.pop(), best.waiting.popleft())
        for kind in self.kinds:
            while kind.waiting and kind.starting < len(kind.waiting) - len(kind.idle) and kind.slots < self.slots:
                if not self.add_server(kind):
                    break

    def begin(self, server, call):
        code = code_file(call.code)
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        os.set_blocking(out, False)
        os.set_blocking(err, False)
        server.call, server.ending, server.reply = call, BY_ITSELF, b''
        server.streams = (Stream(out, self.settings['outputBytes']), Stream(err, self.settings['outputBytes']))
        call.started = time.monotonic()
        server.deadline = call.started + self.settings['wallSeconds']
        self.running += 1
        for stream in server.streams:
            self.owners[stream.file] = (server, stream)
            self.poll.register(stream.file, select.POLLIN)
        try:
            rights = struct.pack('=3i', code, out_end, err_end)
            server.sock.sendmsg([TO_SERVER.pack(b'r', call.seed)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
        except OSError:
            call.tries -= 1  # it is dead, which its socket is about to tell; the call has not begun
        os.close(code)
        os.close(out_end)
        os.close(err_end)

    def kill(self, server, why):
        if server.ending != BY_ITSELF:
            return
        server.ending = why
        server.deadline = time.monotonic() + STUCK_SECONDS
        try:
            server.sock.send(TO_SERVER.pack(b'k', 0))
        except OSError:
            pass

    def close_streams(self, server):
        for stream in server.streams:
            if stream.file >= 0:
                self.forget(stream.file)
                os.close(stream.file)
                stream.file = -1

    def forget(self, file):
        if self.owners.pop(file, None):
            self.poll.unregister(file)

    def ended(self, server, seen, status, seconds, cpu, peak):
        call = server.call
        for stream in server.streams:
            while stream.file in self.owners:
                before = stream.total
                if not stream.read() or stream.total == before:
                    break
        self.close_streams(server)
        server.call, server.deadline = None, None
        self.running -= 1
        ending = BY_FOLDER if seen & FULL else server.ending
        kind = self.kinds[server.kind]
        kind.failures = 0
        call.answer(call, ending, status, server, seconds, (cpu, peak))
        server.streams = ()
        if seen & LAST:
            return self.drop(server, '')
        kind.idle.append(server)
        self.dispatch()

    # Servers

    def add_server(self, kind):
        if kind.failures >= MOST_STARTS:
            reason, waiting = kind.reason, list(kind.waiting)
            kind.waiting.clear()
            kind.failures = 0
            for call in waiting:
                call.answer(call, BY_FAILURE, 0, None, 0.0, reason)
            return False
        try:
            if kind.sock is None:
                self.start_template(kind)
            ours, theirs = _socket.socketpair()
            self.slot += 1
            rights = struct.pack('=i', theirs.fileno())
            kind.sock.sendmsg([TO_SERVER.pack(b's', self.slot)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
            theirs.close()
        except OSError as error:
            kind.fail(kind.failures, str(error))
            self.end_kind(kind, str(error))
            return True
        server = Server(self.kinds.index(kind), ours, self.slot, kind.failures)
        kind.starting += 1
        kind.slots += 1
        self.servers.add(server)
        self.owners[ours.fileno()] = (server, None)
        self.poll.register(ours.fileno(), select.POLLIN)
        return True

    def start_template(self, kind):
        settings = dict(self.settings, level=self.level, kind=kind.name, modules=kind.modules, warmUp=kind.warm_up,
                        broker=os.getpid())
        source = f'{self.settings["server"]}\ntemplate({settings_text(settings)})\n'.encode()
        text = code_file(source)
        ours, theirs = _socket.socketpair()
        command = [self.settings['python'], '-s', '-S', '-B', '-u', '-X', 'utf8', '-c', LOADER,
                   self.settings['mark'], kind.name]
        low = os.open('/dev/null', os.O_RDWR)
        try:
            kind.pid = os.posix_spawn(command[0], command, self.settings['environment'], file_actions=[
                (os.POSIX_SPAWN_DUP2, text, 0), (os.POSIX_SPAWN_DUP2, low, 1), (os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)])
        finally:
            os.close(text)
            os.close(low)
            theirs.close()
        kind.sock = ours

    def end_kind(self, kind, reason, stuck=None):
        """Ends a template and its servers. Their calls are tried again; where one is stuck, it alone is counted."""
        if kind.pid:
            try:
                os.kill(kind.pid, 9)
                os.waitpid(kind.pid, 0)
            except OSError:
                pass
            kind.pid = 0
        if kind.sock:
            kind.sock.close()
            kind.sock = None
        for server in [server for server in self.servers if self.kinds[server.kind] is kind]:
            self.drop(server, reason, counts=stuck in (None, server))

    def drop(self, server, reason, counts=True):
        """A server that is dead or to be dead: its socket closes, which ends it and its call."""
        if server not in self.servers:
            return
        kind = self.kinds[server.kind]
        self.servers.discard(server)
        self.forget(server.sock.fileno())
        server.sock.close()
        kind.slots -= 1
        if not server.ready:
            kind.starting -= 1
            if counts:
                kind.fail(server.attempt, reason)
        if server in kind.idle:
            kind.idle.remove(server)
        call = server.call
        if call:
            self.close_streams(server)
            server.call = None
            self.running -= 1
            call.tries += counts
            if call.tries <= 1:
                self.enqueue(call, True)
            else:
                call.answer(call, BY_FAILURE, 0, None, 0.0, reason)
        self.dispatch()

    def hear(self, server):
        try:
            data = server.sock.recv(FROM_SERVER.size if server.ready else 512, _socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b''
        kind = self.kinds[server.kind]
        if not data:
            said = server.reply[1:].decode('utf-8', 'replace') if server.reply[:1] == b'n' else 'its fork server ended'
            if kind.sock and is_closed(kind.sock):
                return self.end_kind(kind, said)
            return self.drop(server, said)
        server.reply += data
        if server.reply[:1] == b'n' or len(server.reply) < FROM_SERVER.size:
            return
        what, seen, status, seconds, cpu, peak = FROM_SERVER.unpack(server.reply)
        server.reply = b''
        if what == b'y':
            server.ready, server.deadline = True, None
            kind.starting -= 1
            kind.idle.append(server)
            self.dispatch()
        elif server.call:
            self.ended(server, seen, status, seconds, cpu, peak)

    # The loop

    def turn(self):
        now, soonest = time.monotonic(), None
        for server in list(self.servers):
            if server.deadline is None or server not in self.servers:
                continue
            if server.deadline <= now:
                if server.call and server.ending == BY_ITSELF:
                    self.kill(server, BY_CLOCK)
                else:
                    reason = 'its fork server does not answer'  # stopped, or out of reach
                    self.end_kind(self.kinds[server.kind], reason, server)
                    continue
            soonest = server.deadline if soonest is None else min(soonest, server.deadline)
        wait = None if soonest is None else max(0, (soonest - now) * 1000 + 1)
        for file, event in self.poll.poll(wait):
            if file == 0:
                self.take_input()
            elif file == 1:
                self.flush()
            elif file in self.owners:
                server, stream = self.owners[file]
                if stream is None:
                    self.hear(server)
                elif not stream.read():
                    self.forget(file)
                elif stream.total > self.settings['floodBytes']:
                    self.kill(server, BY_OUTPUT)
        if self.out:
            self.flush()

    def take_input(self):
        try:
            data = os.read(0, 1 << 18)
        except BlockingIOError:
            return
        if not data:
            os._exit(0)
        self.input += data
        at = 0
        while len(self.input) - at >= FRAME.size:
            length, what = FRAME.unpack_from(self.input, at)
            if len(self.input) - at < FRAME.size + length:
                break
            body = bytes(self.input[at + FRAME.size:at + FRAME.size + length])
            at += FRAME.size + length
            if what == RUN:
                id, seed, kind = CALL.unpack_from(body)
                self.calls[id] = call = Call(id, kind, seed, body[CALL.size:], self.answer)
                self.enqueue(call)
            elif what == CANCEL:
                self.cancel(ID.unpack(body)[0])
        del self.input[:at]

    def cancel(self, id):
        call = self.calls.get(id)
        if not call:
            return
        for server in self.servers:
            if server.call is call:
                call.tries = 1
                return self.kill(server, BY_CLOCK)
        self.kinds[call.kind].waiting.remove(call)
        self.answer(call, BY_FAILURE, 0, None, 0.0, 'cancelled')

    def answer(self, call, ending, status, server, seconds, usage):
        del self.calls[call.id]
        if server is None:
            text = str(usage).encode()
            head = ENDED.pack(call.id, ending, 0, time.monotonic() - call.arrived, 0, 0, 0, 0, 0, 0, len(text), len(text), 0)
            return self.send(RESULT, head + text)
        out, err = server.streams
        cpu, peak = usage
        head = ENDED.pack(call.id, ending, status, call.started - call.arrived, seconds, cpu,
                          peak if sys.platform == 'darwin' else peak * 1024,
                          out.total, len(out.head), len(out.tail), err.total, len(err.head), len(err.tail))
        self.send(RESULT, b''.join((head, out.head, out.tail, err.head, err.tail)))

    def send(self, what, body):
        self.out += FRAME.pack(len(body), what) + body

    def flush(self):
        try:
            while self.out:
                done = os.write(1, self.out)
                del self.out[:done]
        except BlockingIOError:
            if not self.held:
                self.poll.register(1, select.POLLOUT)
            self.held = True
            return
        except OSError:
            os._exit(0)
        if self.held:
            self.poll.unregister(1)
            self.held = False


LOADER = 'import posix\ns=b""\nwhile 1:\n d=posix.read(0,1<<20)\n if not d:break\n s+=d\nexec(compile(s,"<server>","exec"))'


def settings_text(settings):
    wanted = ('level', 'kind', 'modules', 'warmUp', 'broker', 'folder', 'readable', 'sysPath', 'memoryBytes', 'fileBytes',
              'cpuSeconds', 'nice')
    return repr({name: settings[name] for name in wanted})


def is_closed(sock):
    try:
        return not sock.recv(1, _socket.MSG_DONTWAIT | _socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True


def code_file(data):
    """A file without a name that holds `data`, read from its start."""
    if hasattr(os, 'memfd_create'):
        file = os.memfd_create('code')
    else:
        path = f'/tmp/retool-code-{os.getpid()}'
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.unlink(path)
    at = 0
    while at < len(data):
        at += os.pwrite(file, data[at:], at)
    return file


def close_inherited():
    """The host's own parent may have left files open."""
    for folder in ('/proc/self/fd', '/dev/fd'):
        try:
            files = os.listdir(folder)
        except OSError:
            continue
        for file in files:
            if int(file) > 2:
                try:
                    os.close(int(file))
                except OSError:
                    pass  # the one that listed them
        return


def main(settings):
    close_inherited()
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: no pipe of another call can be opened through /proc
    for _ in range(3):
        os.open('/dev/null', os.O_RDWR)  # keeps the low numbers for what is handed to servers
    broker = Broker(settings)
    broker.climb()
    while True:
        broker.turn()
