"""Serves one DuckDB by HTTP to who has its key, and ends with its process.

Nothing is done for who has not shown a key: the head of a request is short, its body is not
read, and of such connections there are few at once; the next one ends the one that came first.

POST / takes {"sql": text, "seconds": limit or 0} and answers lines of JSON: first
{"columns": [names], "types": [names]}, then one list of texts (or nulls) for each row, and
last {"rows": number, "effort": what it took} or {"error": text, "kind": name}. An answer that
ends without the last line is broken. Whoever hangs up interrupts the query.

The effort is that of the process, so it is there only of statements that no other ran beside:
{"cpu": seconds, "read": bytes of files, whether or not the kernel had them}. What came from
a bucket is in no such count. DuckDB's own counter of bytes (total_bytes_read) leaves out what
it reads ahead, nearly all of a table.
"""
import http.server
import hmac
import json
import os
import select
import shutil
import socket
import socketserver
import sys
import threading
import time

config = json.load(open(sys.argv[1]))
sys.path.insert(0, config["packages"])
import duckdb  # noqa: E402, from the packages

# A pattern of files takes no path that has letters like [ in it: all are relative.
os.chdir(config["volume"])
bucket = config.get("bucket")
lake = bucket["lake"] if bucket else "lake"
if not bucket and not os.path.isdir(lake):
    sys.exit("error: there is no directory lake on the volume: it was not initialised")


# What a server that was killed has spilled is of no use.
shutil.rmtree(config["scratch"], ignore_errors=True)
os.makedirs(config["scratch"], 0o700)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def reach(db):
    """Lets a database use the bucket."""
    db.execute("load " + quoted(config["httpfs"]))
    said = {"key_id": "key", "secret": "secret", "region": "region", "endpoint": "endpoint", "url_style": "style"}
    words = ["%s %s" % (name, quoted(bucket[key])) for name, key in said.items()]
    db.execute("create secret lake (type s3, %s, use_ssl %s)" % (", ".join(words), str(bucket["tls"]).lower()))


def tables(db):
    """Names of the tables that there are."""
    if not bucket:
        return sorted(os.listdir(lake))
    try:
        found = db.execute("select distinct split_part(file, '/', -2) from glob(%s) order by 1" % quoted(lake + "/*/*.parquet")).fetchall()
    except duckdb.Error:  # before anything is loaded there is no bucket
        return []
    return [name for name, in found]


def opened():
    db = duckdb.connect(":memory:", config={
        "home_directory": config["scratch"], "extension_directory": config["scratch"],
        "temp_directory": config["scratch"] + "/spill"})
    db.execute("load " + quoted(config["extension"]))
    for name, value in config["settings"].items():
        db.execute("set %s = %s" % (name, quoted(value)))
    allowed = [config["volume"]]
    if bucket:
        reach(db)
        allowed.append(lake + "/")
    db.execute("set allowed_directories = [%s]" % ", ".join(map(quoted, allowed)))
    db.execute("set enable_external_access = false")
    db.execute("set lock_configuration = true")
    for table in tables(db):
        files = quoted(lake + "/" + table + "/*.parquet")
        try:
            db.execute('create view "%s" as from read_parquet(%s)' % (table.replace('"', '""'), files))
        except duckdb.Error as e:
            print("table %s cannot be read: %s" % (table, e), file=sys.stderr)
    return db


try:
    database = opened()
except duckdb.Error as e:
    sys.exit("error: %s" % e)


class Effort:
    """What the process did during a statement, if that had it to itself."""

    lock = threading.Lock()
    active = set()

    def __init__(self):
        with Effort.lock:
            self.shared = bool(Effort.active)
            for other in Effort.active:
                other.shared = True
            Effort.active.add(self)
        self.cpu, self.read = time.process_time(), self.bytes()

    @staticmethod
    def bytes():
        with open("/proc/self/io") as counts:
            return int(next(line for line in counts if line.startswith("rchar:")).split()[1])

    def end(self):
        taken = {"cpu": time.process_time() - self.cpu, "read": 0 if bucket else self.bytes() - self.read}
        with Effort.lock:
            Effort.active.discard(self)
            return None if self.shared else taken


class Watch:
    """Interrupts a query when its time is up or nobody waits for it any more."""

    def __init__(self, cursor, connection, seconds):
        self.cursor, self.connection = cursor, connection
        self.until = time.monotonic() + seconds if seconds > 0 else None
        self.ours, self.other = socket.socketpair()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            rest = None if self.until is None else max(0, self.until - time.monotonic())
            ready, _, _ = select.select([self.connection, self.other], [], [], rest)
            if self.other in ready:
                return
            # The query may not have begun yet: once more until it has ended.
            while not select.select([self.other], [], [], 0.05)[0]:
                self.cursor.interrupt()
            return

    def late(self):
        return self.until is not None and time.monotonic() > self.until

    def end(self):
        self.ours.send(b"x")
        self.thread.join()
        self.ours.close()
        self.other.close()


# Limits of what is taken: bytes of the head of a request and of a statement, seconds between
# two parts of the head, and connections that have shown no key.
MOST_HEAD = 16 << 10
MOST_BODY = 16 << 20
HEAD_SECONDS = 10
MOST_STRANGERS = 512


class Head:
    """Gives the lines of a head until it has become too long."""

    def __init__(self, file):
        self.file, self.left = file, MOST_HEAD

    def readline(self, most=-1):
        line = self.file.readline(self.left if most < 0 else min(most, self.left))
        self.left -= len(line)
        if self.left <= 0:
            raise ConnectionError("the head of a request is too long")
        return line

    def __getattr__(self, name):
        return getattr(self.file, name)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = HEAD_SECONDS

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        self.rfile = Head(getattr(self.rfile, "file", self.rfile))
        super().handle_one_request()

    def refuse(self, code):
        self.close_connection = True
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def size(self):
        """How long the body is; -1 for one that is not to be read."""
        given = self.headers.get("Content-Length", "")
        if not given.isascii() or not given.isdigit() or len(given) > 12 or "Transfer-Encoding" in self.headers:
            return -1
        return int(given)

    def may(self):
        given = self.headers.get("Authorization", "")
        for key in ("admin", "user"):
            if hmac.compare_digest(given.encode(), ("Bearer " + config[key]).encode()):
                return key
        return ""

    def do_POST(self):
        who = self.may()
        if not who:
            return self.refuse(401)
        self.server.trust(self.connection)
        self.connection.settimeout(None)  # users think for as long as they like
        size = self.size()
        if size < 0:
            return self.refuse(400)
        if size > MOST_BODY:
            return self.refuse(413)
        asked = json.loads(self.rfile.read(size))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        cursor = database.cursor()
        watch = Watch(cursor, self.connection, asked["seconds"])
        effort = Effort()
        try:
            last = self.answer(cursor, asked["sql"], who)
        except duckdb.InterruptException as e:
            last = {"error": str(e), "kind": "interrupted"}
        except duckdb.Error as e:
            last = {"error": str(e), "kind": type(e).__name__}
        finally:
            late = watch.late()
            taken = effort.end()
            watch.end()
            cursor.close()
        if taken and "rows" in last:
            last["effort"] = taken
        # One that ended by itself before it was interrupted may be late, too.
        if late and last.get("kind", "interrupted") == "interrupted":
            last = {"error": "the time of the query is up", "kind": "timeout"}
        self.line(last)
        self.wfile.write(b"0\r\n\r\n")

    def answer(self, cursor, sql, who):
        if who != "admin" and any(s.type != duckdb.StatementType.SELECT for s in cursor.extract_statements(sql)):
            return {"error": "users may only select", "kind": "PermissionException"}
        cursor.execute(sql)
        columns = cursor.description or []
        self.line({"columns": [c[0] for c in columns], "types": [str(c[1]) for c in columns]})
        rows = 0
        while columns and (some := cursor.fetchmany(1000)):
            rows += len(some)
            self.write("".join(json.dumps([None if v is None else str(v) for v in row]) + "\n" for row in some))
        return {"rows": rows}

    def line(self, value):
        self.write(json.dumps(value) + "\n")

    def write(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 65535  # the kernel takes as many as it lets a socket have

    def __init__(self, listen):
        self.lock, self.strangers = threading.Lock(), {}  # connections in the order in which they came
        at = listen.removeprefix("unix:")
        if at == listen:
            host, port = listen.rsplit(":", 1)
            at = host, int(port)
        else:
            self.address_family = socket.AF_UNIX
            if os.path.exists(at):  # of a server that was killed
                os.remove(at)
        super().__init__(at, Handler)
        if self.address_family == socket.AF_UNIX:
            os.chmod(at, 0o660)  # servers that use this one have its group

    def process_request(self, request, address):
        with self.lock:
            if len(self.strangers) >= MOST_STRANGERS:
                oldest = next(iter(self.strangers))
                del self.strangers[oldest]
                try:
                    oldest.shutdown(socket.SHUT_RDWR)  # which ends its thread
                except OSError:
                    pass  # it has gone by itself
            self.strangers[request] = True
        super().process_request(request, address)

    def trust(self, request):
        with self.lock:
            self.strangers.pop(request, None)

    def shutdown_request(self, request):
        self.trust(request)
        super().shutdown_request(request)

    def handle_error(self, request, address):
        pass  # who asked has gone


try:
    Server(config["listen"]).serve_forever()
except OSError as e:
    sys.exit("error: listen at %s: %s" % (config["listen"], e))
