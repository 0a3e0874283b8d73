#!/usr/bin/env python3
"""An SOS button in Python. Copy it and replace its input and output by your own.

A press is on disk before anything is sent, and is sent until the service has it, also after a restart: over MQTT, and
over REST as well if no PUBACK comes within 4 s. Both carry the time of the press, which makes them one alarm.

Reads `press`, `press {"latitude":47.07,"longitude":12.69}` and `cancel` from its input, and prints how each alarm goes.
Needs paho-mqtt (Debian: python3-paho-mqtt), 1.6 or 2. What it reads from the environment: README.md.
"""
import http.client, json, os, queue, random, ssl, sys, threading, time, urllib.error, urllib.request, uuid
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
import paho.mqtt.client as mqtt

ENV = os.environ
URL = ENV["TOCSIN_URL"].rstrip("/")
MQTT_HOST, MQTT_PORT = ENV["TOCSIN_MQTT_HOST"], int(ENV.get("TOCSIN_MQTT_PORT", "8883"))
APP_ID, USER_ID = ENV["TOCSIN_APP_ID"], ENV["TOCSIN_USER_ID"]
HASH_URL = ENV.get("TOCSIN_USER_HASH_URL")  # of your backend: the application's secret never leaves it
STORE = ENV.get("TOCSIN_STORE", os.path.expanduser("~/.tocsin-sos"))
if not URL.startswith("https://"):
    sys.exit("TOCSIN_URL must begin with https://: the hash would go over the network in clear")
TLS = ssl.create_default_context(cafile=ENV.get("TOCSIN_CA"))  # checks the certificate and its name
PUBACK_S, ANSWER_S, LONGEST_WAIT_S, MAX_ANSWER = 4, 15, 30, 1024 * 1024
TOGETHER = {"latitude", "longitude", "altitude"}  # without one, the service refuses the others

os.umask(0o077)  # the files say where a person was
os.makedirs(STORE, exist_ok=True)
alarms, alarms_lock = [], threading.Lock()


def delay(attempt):
    """1, 2, 4 … 30 s, a fifth more or less: phones that lost the same network must not come back at one moment."""
    return min(2 ** min(attempt, 5), LONGEST_WAIT_S) * random.uniform(0.8, 1.2)


def keep(name, value):
    """Whole or not at all, and on disk with its name: a file that was only written is lost with the battery."""
    path = os.path.join(STORE, name)
    with open(path + ".new", "w") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    folder = os.open(STORE, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def kept(name):
    try:
        with open(os.path.join(STORE, name)) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None  # a file that cannot be read was never whole: nobody was told that it is kept


# --- REST

class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # the page of a hotel's Wi-Fi must not get the hash


opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=TLS))
user_hash = ENV.get("TOCSIN_USER_HASH")


def current_hash():
    global user_hash
    if user_hash is None and HASH_URL is not None:
        with opener.open(HASH_URL, timeout=ANSWER_S) as response:
            user_hash = response.read(1024).decode().strip()
    return user_hash or ""


def forget_hash(refused):
    """The next request asks the backend again. Without one, there is nothing better."""
    global user_hash
    if HASH_URL is not None and user_hash == refused:
        user_hash = None


def ask(method, path, body=None):
    """(status, JSON, Retry-After in s), or None: no answer of the service. After a 401 once more, with a new hash."""
    for last in (False, True):
        try:
            sent_hash = current_hash()
            headers = {"X-App-ID": APP_ID, "X-User-ID": USER_ID.encode().decode("latin1"),
                       "Authorization": f"Bearer {sent_hash}", "Content-Type": "application/json"}
            payload = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(URL + path, payload, headers, method=method)
            with opener.open(request, timeout=ANSWER_S) as response:
                return response.status, json.loads(response.read(MAX_ANSWER)), 0
        except urllib.error.HTTPError as error:
            if error.code == 401:
                forget_hash(sent_hash)
                if not last and HASH_URL is not None:
                    continue
            return error.code, error_in(error), retry_after(error.headers.get("Retry-After"))
        except (OSError, ValueError, http.client.HTTPException):
            return None


def error_in(response):
    """The service's error, or None: somebody else answered, such as a proxy."""
    try:
        error = json.loads(response.read(MAX_ANSWER))["error"]
        return error if isinstance(error["code"], str) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def retry_after(header):
    """Seconds or a date. At most 5 min: a proxy that asks for more knows nothing of alarms."""
    try:
        seconds = int(header) if header.isdigit() else parsedate_to_datetime(header).timestamp() - time.time()
        return max(0, min(seconds, 300))
    except (AttributeError, ValueError, TypeError):
        return 0


# --- MQTT

class Line(threading.Thread):
    """The connection to the broker. Each has a client of its own: a library that is left to reconnect by itself sends
    unacknowledged presses again, even those that the person has cancelled since."""

    def __init__(self):
        super().__init__(daemon=True)
        self.is_up, self.outbox, self.waiting = False, queue.Queue(), {}

    def run(self):
        attempt = 0
        while True:
            was_up = False
            try:
                was_up = self.connect()
            except Exception as error:  # whatever it is, REST must not be the only way from now on
                if not isinstance(error, OSError):
                    print("MQTT:", error, file=sys.stderr)
            self.is_up = False
            for alarm in list(self.waiting.values()):
                alarm.news.set()  # no PUBACK will come
            attempt = 0 if was_up else attempt + 1
            time.sleep(delay(attempt))

    def connect(self):
        """Until the connection is lost. Returns whether there was one."""
        user = kept("user-id")
        if user is None:
            answer = ask("GET", "/v1/sdk/me")
            if answer is None or answer[0] != 200:
                return False
            user = answer[1]["id"]
            keep("user-id", user)
        # Of this run alone: two phones of one user with the same client id would throw each other off.
        version = (mqtt.CallbackAPIVersion.VERSION2,) if hasattr(mqtt, "CallbackAPIVersion") else ()
        client = mqtt.Client(*version, client_id=f"svc_{uuid.uuid4()}", protocol=mqtt.MQTTv311)
        client.tls_set_context(TLS)
        sent_hash = current_hash()
        client.username_pw_set(f"sdk:{APP_ID}:{USER_ID}", sent_hash)
        self.waiting, self.outbox, was_up = {}, queue.Queue(), []

        def on_connect(_client, _data, _flags, code, *_):
            if getattr(code, "value", code) in (4, 5, 134, 135):
                forget_hash(sent_hash)
            if code == 0:
                was_up.append(True)
                client.subscribe(f"sos/events/{user}", qos=1)  # sessions are clean: again in each connection
                self.is_up = True
                wake_all()

        client.on_connect = on_connect
        client.on_publish = lambda _client, _data, mid, *_: self.acknowledged(mid)
        # An event is only the reason to ask for the state: so nothing can be missed or come in the wrong order.
        client.on_message = lambda *_: wake_all()
        client.connect(MQTT_HOST, MQTT_PORT, keepalive=30)
        while client.loop(0.1) == mqtt.MQTT_ERR_SUCCESS:
            while self.is_up and not self.outbox.empty():
                alarm = self.outbox.get()
                if alarm.wants_sending():
                    self.waiting[client.publish(f"sos/alerts/{user}", json.dumps(alarm.alert), qos=1).mid] = alarm
        return bool(was_up)

    def publish(self, alarm):
        if self.is_up:
            self.outbox.put(alarm)
        return self.is_up

    def acknowledged(self, mid):
        alarm = self.waiting.pop(mid, None)
        if alarm is not None:  # a PUBACK means: on the service's disk
            alarm.change(on_server=True)
            alarm.show("on the server")


def wake_all():
    with alarms_lock:
        for alarm in alarms:
            alarm.news.set()


# --- One press, from the disk to its end

class Alarm(threading.Thread):
    def __init__(self, alert, end=None, on_server=False, incident_id=None, pressed_again=False):
        super().__init__(daemon=True)
        self.alert, self.end, self.on_server = alert, end, on_server  # `end`: the request that ends it, once wanted
        self.incident_id, self.pressed_again = incident_id, pressed_again
        self.name_on_disk = alert["timestamp"] + ".json"
        self.is_over, self.attempt, self.not_before, self.shown = False, 0, 0.0, None
        self.news, self.lock = threading.Event(), threading.RLock()

    def change(self, **fields):
        with self.lock:
            self.__dict__.update(fields)
            if self.is_over:
                return
            keep(self.name_on_disk, {"alert": self.alert, "end": self.end, "on_server": self.on_server,
                                     "incident_id": self.incident_id, "pressed_again": self.pressed_again})
        self.news.set()

    def show(self, text):
        if text != self.shown:
            self.shown = text
            try:
                print(f"{self.alert['timestamp']}  {text}", flush=True)
            except OSError:
                pass  # nobody reads it any more: the alarm goes on

    def ends(self, text):
        with self.lock:
            self.is_over = True
            try:
                os.remove(os.path.join(STORE, self.name_on_disk))
            except OSError:
                pass
        self.show(text)
        with alarms_lock:
            alarms.remove(self)

    def wants_sending(self):
        return not (self.end or self.on_server or self.is_over)

    def run(self):
        while not self.is_over:
            self.news.clear()
            try:
                pause = self.send_end() if self.end else self.look() if self.on_server else self.send_press()
            except Exception as error:  # a full disk or a fault of this program: an alarm goes on nevertheless
                print("trying again:", error, file=sys.stderr)
                pause = self.later()
            if not self.is_over:
                self.news.wait(pause)

    def later(self, asked=0):
        self.attempt += 1
        self.not_before = time.monotonic() + asked
        return max(delay(self.attempt - 1), asked)

    def send_press(self):
        if LINE.publish(self):
            self.news.wait(PUBACK_S)
        left = self.not_before - time.monotonic()
        if not self.wants_sending() or left > 0:  # what wakes it in between must not shorten a Retry-After
            return max(left, 0)
        answer = ask("POST", "/v1/sdk/sos", self.alert)
        if answer is None:
            self.on_server or self.show("kept, NOT on the server: no answer. Trying again")
            return self.later()
        status, body, asked = answer
        if status < 300 and isinstance(body, dict) and "incident" in body:
            return self.taken(body)
        if status == 400 and body is not None:
            fields = body.get("fields") or []
            return self.without_refused_fields([str(field.get("field")) for field in fields if isinstance(field, dict)])
        if status == 413:  # also from a proxy
            return self.without_refused_fields([])
        if status in (404, 405, 415) and body is not None and not self.on_server:
            self.ends(f"over: REFUSED with {status} {body['code']}. This program or its address is wrong")
            return 0
        self.show(f"kept, NOT on the server: {status}. Trying again")
        return self.later(asked)

    def taken(self, body):
        self.attempt = 0
        if body["incident"] is not None:
            self.change(on_server=True, incident_id=body["incident"]["incidentId"])
            self.show(words_for(body["incident"]))
        elif body.get("putOff"):
            # Many presses without a pause look like a stuck button. The same press again says what it is by then.
            text = body["putOff"]["until"]
            self.show(f"put off until {text}: nobody is alarmed. Press again after 15 s without a press")
            until = datetime.fromisoformat(text.replace("Z", "+00:00"))
            return self.later(max(15, min(until.timestamp() - time.time(), 3600)))
        else:
            self.ends("over")  # a repeat of a press whose alarm has ended, or an end came first
        return 0

    def without_refused_fields(self, names):
        """A bad field must not cost the alarm: without it at once, then with nothing but time and device."""
        out = {name.split(".")[0] for name in names}
        out |= TOGETHER if out & TOGETHER else set()
        rest = {name: value for name, value in self.alert.items() if name == "timestamp" or name not in out}
        if not out or len(rest) == len(self.alert):
            rest = {name: self.alert[name] for name in ("timestamp", "deviceId") if name in self.alert}
        if len(rest) == len(self.alert):
            self.ends(f"over: REFUSED for good: {', '.join(names)}")
        else:
            self.change(alert=rest)
        return 0

    def look(self):
        answer = ask("GET", "/v1/sdk/sos")
        if answer is None or answer[0] != 200 or "incident" not in answer[1]:
            return self.later(answer[2] if answer else 0)
        self.attempt, incident = 0, answer[1]["incident"]
        if incident is None or self.incident_id not in (None, incident["incidentId"]):
            self.ends("over" if self.incident_id else "over, or put off since the button looks stuck")
            return 0
        if self.incident_id is None:
            self.change(incident_id=incident["incidentId"])
        self.show(words_for(incident))
        return LONGEST_WAIT_S if LINE.is_up else 5

    def send_end(self):
        answer = ask("POST", "/v1/sdk/sos/cancel", self.end)
        if answer is None or answer[0] != 200 or "incident" not in answer[1]:
            self.show("the end is kept, NOT on the server. Trying again")
            return self.later(answer[2] if answer else 0)
        _, body, _ = answer
        if body["incident"] is None or body.get("ended"):
            self.ends("over")
        else:
            self.change(end=None, on_server=True, incident_id=body["incident"]["incidentId"], pressed_again=True)
            self.show("still open: somebody has pressed again. `cancel` once more ends that alarm")
        return 0


def words_for(incident):
    items = (incident.get("actuators") or {}).get("items", [])
    contacts = next((item for item in items if item["type"] == "emergency_contacts"), {})
    if incident["status"] == "acknowledged":
        said = [(contact["name"], contact.get("response", {})) for contact in contacts.get("contacts", [])
                if "acknowledgedAt" in contact]
        coming = [f"{name} is {to['kind']}" + (f", {to['etaMinutes']} min" if "etaMinutes" in to else "")
                  for name, to in said if to.get("kind") in ("coming", "calling")]
        by = (incident.get("acknowledgedBy") or {}).get("name") or "somebody"
        return "; ".join(coming) or f"{by} has answered"
    return "contacts alerted" if contacts.get("outcome") == "success" else "on the server"


def begin(alarm):
    with alarms_lock:
        alarms.append(alarm)
    alarm.start()


def press(fields):
    with alarms_lock:
        if any(alarm.wants_sending() for alarm in alarms):
            return print("the press before is still being sent", flush=True)
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    alarm = Alarm({**fields, "timestamp": now})
    try:
        alarm.change()
        alarm.show("kept, NOT on the server yet")
    except OSError as error:
        alarm.show(f"NOT on disk ({error}): leave this program running")
    begin(alarm)


def end_of(alarm, alarms_now):
    """Names the alarm by the person's last press that is part of it: an end that waits in the network must not end what
    is pressed after it. Asked once more, after somebody has pressed again, the person means that incident."""
    if alarm.pressed_again:
        return {"incidentId": alarm.incident_id}
    same = [one for one in alarms_now if one.incident_id is not None and one.incident_id == alarm.incident_id]
    last = max(same or [alarm], key=lambda one: one.alert["timestamp"])
    return {"alert": {name: last.alert[name] for name in ("timestamp", "deviceId") if name in last.alert}}


def cancel():
    with alarms_lock:
        open_alarms = list(alarms)
    for alarm in open_alarms:
        if alarm.end is not None:
            continue
        try:
            alarm.change(end=end_of(alarm, open_alarms))
        except OSError:
            alarm.news.set()  # it is known, and goes out, although it cannot be kept


LINE = Line()
for file_name in sorted(os.listdir(STORE)):
    record = kept(file_name) if file_name.endswith("Z.json") else None
    try:
        begin(Alarm(**record))
    except (KeyError, TypeError):
        pass  # none of this program's files
LINE.start()
for line in sys.stdin:
    command, _, fields = line.strip().partition(" ")
    if command == "press":
        try:
            given = json.loads(fields or "{}")
            json.dumps(given, allow_nan=False)  # NaN is no JSON: the service could not read the press
        except (ValueError, RecursionError):
            given = {}  # a press is never lost for what comes with it
        press(given if isinstance(given, dict) else {})
    elif command == "cancel":
        cancel()
while alarms:  # the input has ended: what is open goes on
    time.sleep(1)
