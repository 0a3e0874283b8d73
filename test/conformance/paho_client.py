"""Paho MQTT clients. Takes orders as JSON lines on stdin and reports events as JSON lines on stdout; each names its client."""
import json
import socket
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCodes
from paho.mqtt.subscribeoptions import SubscribeOptions

writing = threading.Lock()


def say_for(number):
    def say(kind, **fields):
        with writing:
            print(json.dumps({"client": number, "kind": kind, **fields}), flush=True)

    return say


def code_of(reason):
    return reason.value if isinstance(reason, ReasonCodes) else int(reason)


def properties_of(packet, given):
    properties = Properties(packet)
    for name, value in (given or {}).items():
        if name == "UserProperty":
            value = [tuple(pair) for pair in value]
        elif name == "CorrelationData":
            value = value.encode()
        setattr(properties, name, value)
    return properties


def named(properties):
    if properties is None:
        return {}
    return {name: value for name, value in properties.json().items()}


class Client(mqtt.Client):
    def __init__(self, say, **settings):
        super().__init__(**settings)
        self.say = say

    # What fails in the thread of one client must not be taken for a fault of another.
    def _thread_main(self):
        try:
            super()._thread_main()
        except Exception as error:
            self.say("failed", error=f"{type(error).__name__}: {error}")

    # Paho 1.6 does not expose the reason code of an acknowledgement.
    def _handle_pubackcomp(self, cmd):
        packet = bytes(self._in_packet["packet"])
        self.report("puback" if cmd == "PUBACK" else "pubcomp", packet)
        return super()._handle_pubackcomp(cmd)

    def _handle_pubrec(self):
        self.report("pubrec", bytes(self._in_packet["packet"]))
        return super()._handle_pubrec()

    def report(self, kind, packet):
        self.say(kind, id=int.from_bytes(packet[:2], "big"), code=packet[2] if len(packet) > 2 else 0)


class Session:
    def __init__(self, number):
        self.say = say_for(number)
        self.client = None
        self.version = 4

    def connect(self, order):
        self.version = order["version"]
        five = self.version == 5
        say = self.say
        client = Client(
            say,
            client_id=order["clientId"],
            protocol=mqtt.MQTTv5 if five else mqtt.MQTTv311,
            transport=order["transport"],
            reconnect_on_failure=False,
            **({} if five else {"clean_session": order["clean"]}),
        )
        self.client = client
        if order["transport"] == "websockets":
            client.ws_set_options(path="/mqtt")
        if order.get("ca"):
            client.tls_set(ca_certs=order["ca"])
        client.username_pw_set(order["username"], order["password"])
        if five:
            client.on_connect = lambda _c, _u, flags, reason, properties: say(
                "connack", code=code_of(reason), sessionPresent=flags["session present"] == 1, properties=named(properties)
            )
            client.on_disconnect = lambda _c, _u, reason, _p=None: say(
                "disconnected", code=code_of(reason) if isinstance(reason, ReasonCodes) else None
            )
            client.on_subscribe = lambda _c, _u, _m, reasons, _p: say("suback", codes=[code_of(one) for one in reasons])
            client.on_unsubscribe = lambda _c, _u, _m, _p, reasons: say(
                "unsuback", codes=[code_of(one) for one in (reasons if isinstance(reasons, list) else [reasons])]
            )
        else:
            client.on_connect = lambda _c, _u, flags, code: say(
                "connack", code=code, sessionPresent=flags["session present"] == 1, properties={}
            )
            client.on_disconnect = lambda _c, _u, _code: say("disconnected", code=None)
            client.on_subscribe = lambda _c, _u, _m, codes: say("suback", codes=list(codes))
            client.on_unsubscribe = lambda _c, _u, _m: say("unsuback", codes=[])
        client.on_message = lambda _c, _u, message: say(
            "message", topic=message.topic, payload=message.payload.decode(), qos=message.qos, retain=bool(message.retain)
        )
        will = order.get("will")
        if will:
            more = {"properties": properties_of(PacketTypes.WILLMESSAGE, will.get("properties"))} if five else {}
            client.will_set(will["topic"], will["payload"], qos=1, retain=will["retain"], **more)
        more = {}
        if five:
            more = {
                "clean_start": order["clean"],
                "properties": properties_of(PacketTypes.CONNECT, order.get("properties")),
            }
        client.connect(order["host"], order["port"], keepalive=order["keepalive"], **more)
        client.loop_start()

    def subscribe(self, order):
        if self.version == 5:
            options = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True, retainHandling=2)
            properties = properties_of(PacketTypes.SUBSCRIBE, order.get("properties"))
            self.client.subscribe([(topic, options) for topic in order["topics"]], properties=properties)
        else:
            self.client.subscribe([(topic, 1) for topic in order["topics"]])

    def unsubscribe(self, order):
        more = {}
        if self.version == 5:
            more = {"properties": properties_of(PacketTypes.UNSUBSCRIBE, order.get("properties"))}
        self.client.unsubscribe(order["topics"], **more)

    def publish(self, order):
        more = {}
        if self.version == 5:
            more = {"properties": properties_of(PacketTypes.PUBLISH, order.get("properties"))}
        info = self.client.publish(order["topic"], order["payload"], qos=order["qos"], retain=order["retain"], **more)
        self.say("published", id=info.mid)

    def disconnect(self, order):
        code = order.get("code")
        if self.version == 5 and code is not None:
            self.client.disconnect(reasoncode=ReasonCodes(PacketTypes.DISCONNECT, identifier=code))
        else:
            self.client.disconnect()

    def drop(self, _order):
        # Without a DISCONNECT, like a removed battery. Not `SSLSocket.shutdown`, which first takes away what the client's
        # own thread may be reading from: that thread would end with an error instead of seeing the connection end.
        sock = self.client.socket()
        socket.socket.shutdown(getattr(sock, "_socket", sock), socket.SHUT_RDWR)

    def close(self, order):
        if self.client is not None:
            try:
                self.drop(order)
            except (AttributeError, OSError):  # The connection had ended already.
                pass
            self.client.loop_stop()
        self.say("closed")


sessions = {}
for line in sys.stdin:
    order = json.loads(line)
    number = order["client"]
    session = sessions.setdefault(number, Session(number))
    try:
        getattr(session, order["do"])(order)
    except Exception as error:  # The test judges what went wrong.
        session.say("failed", error=f"{type(error).__name__}: {error}")
    if order["do"] == "close":
        del sessions[number]
sys.exit(0)
