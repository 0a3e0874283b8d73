/*
 * An SOS button in C, with libmosquitto, libcurl and cJSON. Copy it and replace its input and output by your own.
 *
 * A press is on disk before anything is sent, and is sent until the service has it, also after a restart: over MQTT,
 * and over REST as well if no PUBACK comes within 4 s. Both carry the time of the press, which makes them one alarm.
 *
 * Reads `press`, `press {"latitude":47.07,"longitude":12.69}` and `cancel` from its input, and prints how each alarm
 * goes. What it reads from the environment: README.md. One thread keeps the MQTT connection, and each press has one.
 */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PUBACK_S = 4, ANSWER_S = 15, LONGEST_WAIT_S = 30, MAX_ANSWER = 1024 * 1024, MAX_FIELDS = 16384, PATH = 1024 };

static const char *url, *mqtt_host, *app_id, *user_id, *hash_url, *ca, *store;
static int mqtt_port;

typedef struct sos {
  char name[40];            /* the time of the press: what the service tells presses apart by */
  cJSON *alert;             /* as it is sent */
  cJSON *end;               /* the request that ends it, once the person wants that */
  bool on_server, is_over;
  char incident_id[64];     /* "" until it is known */
  bool pressed_again;       /* the last end left it open */
  bool to_publish, news;
  int mid, attempt;         /* the packet's id in this connection, 0: none */
  double not_before;        /* over REST: Retry-After */
  char shown[200];
  struct sos *next;
} sos;

/* Guards everything below, and every alarm. `changed`: some alarm has news. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static sos *alarms;
static bool line_is_up;
static char user_hash[256];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time); /* no change of the clock shortens or prolongs a wait */
  return time.tv_sec + time.tv_nsec / 1e9;
}

/* 1, 2, 4 ... 30 s, a fifth more or less: phones that lost the same network must not come back at one moment. */
static double delay(int attempt) {
  double seconds = attempt < 5 ? 1 << attempt : LONGEST_WAIT_S;
  return seconds * (0.8 + 0.4 * (random() / (double)RAND_MAX));
}

static bool wants_sending(const sos *a) { return !(a->end || a->on_server || a->is_over); }

static void wake_all(void) {
  for (sos *a = alarms; a; a = a->next) a->news = true;
  pthread_cond_broadcast(&changed);
}

/* Waits, with the lock, until there is news of this alarm. */
static void wait_for_news(sos *a, double seconds) {
  double end = now() + seconds;
  struct timespec until = {(time_t)end, (long)((end - (time_t)end) * 1e9)};
  while (!a->news)
    if (pthread_cond_timedwait(&changed, &lock, &until) == ETIMEDOUT) return;
}

static void show(sos *a, const char *format, ...) {
  char text[sizeof a->shown];
  va_list more;
  va_start(more, format);
  vsnprintf(text, sizeof text, format, more);
  va_end(more);
  if (strcmp(text, a->shown) == 0) return;
  strcpy(a->shown, text);
  printf("%s  %s\n", a->name, text);
}

/* ---- The disk */

static void path_of(char path[PATH], const char *name, const char *suffix) {
  snprintf(path, PATH, "%s/%s%s", store, name, suffix);
}

/* Whole or not at all, and on disk with its name: what is only written is lost with the battery. */
static bool keep(const char *name, const char *text) {
  char path[PATH], draft[PATH];
  path_of(path, name, "");
  path_of(draft, name, ".new");
  int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600); /* it says where a person was */
  if (file < 0) return false;
  size_t length = strlen(text);
  bool is_written = write(file, text, length) == (ssize_t)length && fsync(file) == 0;
  is_written &= close(file) == 0;
  if (!is_written || rename(draft, path) != 0) return false;
  int folder = open(store, O_RDONLY);
  bool is_synced = folder >= 0 && fsync(folder) == 0;
  if (folder >= 0) close(folder);
  return is_synced;
}

static cJSON *kept(const char *name) {
  char path[PATH], text[4 * MAX_FIELDS];
  path_of(path, name, "");
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return cJSON_Parse(text); /* a file that cannot be read was never whole: nobody was told that it is kept */
}

static bool keep_alarm(const sos *a) {
  cJSON *record = cJSON_CreateObject();
  cJSON_AddItemReferenceToObject(record, "alert", a->alert);
  if (a->end) cJSON_AddItemReferenceToObject(record, "end", a->end);
  cJSON_AddBoolToObject(record, "on_server", a->on_server);
  cJSON_AddStringToObject(record, "incident_id", a->incident_id);
  cJSON_AddBoolToObject(record, "pressed_again", a->pressed_again);
  char name[64], *text = cJSON_PrintUnformatted(record);
  snprintf(name, sizeof name, "%s.json", a->name);
  bool is_kept = text && keep(name, text);
  free(text);
  cJSON_Delete(record);
  return is_kept;
}

/* ---- JSON */

static cJSON *item(const cJSON *object, const char *name) { return cJSON_GetObjectItemCaseSensitive(object, name); }
static const char *text_of(const cJSON *value) { return cJSON_IsString(value) ? value->valuestring : ""; }
static bool is_text(const cJSON *value, const char *text) { return strcmp(text_of(value), text) == 0; }

/* The press by what tells it apart: time, and device if it has one. */
static cJSON *bare(const cJSON *alert) {
  cJSON *press = cJSON_CreateObject();
  cJSON_AddStringToObject(press, "timestamp", text_of(item(alert, "timestamp")));
  const cJSON *device = item(alert, "deviceId");
  if (cJSON_IsString(device)) cJSON_AddStringToObject(press, "deviceId", text_of(device));
  return press;
}

/* ---- REST, without the lock */

typedef struct { long status, retry_after; cJSON *body; } answer; /* status 0: no answer of the service */
typedef struct { char *bytes; size_t length; } buffer;

static size_t take(char *bytes, size_t size, size_t count, void *to) {
  buffer *all = to;
  if (all->length + size * count > MAX_ANSWER) return 0;
  char *more = realloc(all->bytes, all->length + size * count + 1);
  if (!more) return 0;
  memcpy(more + all->length, bytes, size * count);
  all->bytes = more;
  all->length += size * count;
  more[all->length] = '\0';
  return size * count;
}

/* curl follows no redirect unless told to: the page of a hotel's Wi-Fi must not get the hash. */
static long request(const char *method, const char *address, struct curl_slist *headers, const char *body, buffer *got,
                    long *retry_after) {
  CURL *curl = curl_easy_init();
  long status = 0;
  curl_off_t seconds = 0;
  curl_easy_setopt(curl, CURLOPT_URL, address);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)ANSWER_S);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, got);
  if (ca) curl_easy_setopt(curl, CURLOPT_CAINFO, ca);
  if (body) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  if (curl_easy_perform(curl) == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
  /* A proxy that asks for more than 5 min knows nothing of alarms. */
  if (retry_after) *retry_after = seconds < 0 ? 0 : seconds > 300 ? 300 : (long)seconds;
  curl_easy_cleanup(curl);
  return status;
}

/* The user's hash. Asks your backend where there is none: the application's secret never leaves it. */
static void current_hash(char hash[sizeof user_hash]) {
  buffer got = {0};
  pthread_mutex_lock(&lock);
  bool must_ask = user_hash[0] == '\0' && hash_url;
  pthread_mutex_unlock(&lock);
  bool has_asked = must_ask && request("GET", hash_url, NULL, NULL, &got, NULL) == 200 && got.bytes;
  pthread_mutex_lock(&lock);
  if (has_asked) snprintf(user_hash, sizeof user_hash, "%.*s", (int)strcspn(got.bytes, "\r\n"), got.bytes);
  strcpy(hash, user_hash);
  pthread_mutex_unlock(&lock);
  free(got.bytes);
}

/* It was refused: the next request asks the backend again. Without one, there is nothing better. */
static void forget_hash(const char *refused) {
  pthread_mutex_lock(&lock);
  if (hash_url && strcmp(user_hash, refused) == 0) user_hash[0] = '\0';
  pthread_mutex_unlock(&lock);
}

/* After a 401 it asks once more, with a new hash. Takes `body`, and the answer's has to be deleted. */
static answer ask(const char *method, const char *path, cJSON *body) {
  answer a = {0};
  char *sent = body ? cJSON_PrintUnformatted(body) : NULL;
  cJSON_Delete(body);
  for (int tries = 0; tries < 2; tries++) {
    char address[PATH], app[128], user[600], authorization[sizeof user_hash + 32], hash[sizeof user_hash];
    current_hash(hash);
    snprintf(address, sizeof address, "%s%s", url, path);
    snprintf(app, sizeof app, "X-App-ID: %s", app_id);
    snprintf(user, sizeof user, "X-User-ID: %s", user_id);
    snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", hash);
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    headers = curl_slist_append(curl_slist_append(curl_slist_append(headers, app), user), authorization);
    buffer got = {0};
    a.status = request(method, address, headers, sent, &got, &a.retry_after);
    curl_slist_free_all(headers);
    cJSON_Delete(a.body);
    a.body = got.bytes ? cJSON_Parse(got.bytes) : NULL;
    free(got.bytes);
    if (a.status != 401) break;
    forget_hash(hash);
  }
  free(sent);
  /* Somebody else may answer, such as a proxy. */
  bool is_error = cJSON_IsString(item(item(a.body, "error"), "code"));
  if (!item(a.body, "incident") && !item(a.body, "id") && !is_error) a.status = 0;
  return a;
}

/* ---- MQTT */

static void on_connect(struct mosquitto *line, void *data, int code) {
  if (code == 5) forget_hash(((char **)data)[1]);
  if (code != 0) return;
  mosquitto_subscribe(line, NULL, ((char **)data)[0], 1); /* sessions are clean: again in each connection */
  pthread_mutex_lock(&lock);
  line_is_up = true;
  wake_all();
  pthread_mutex_unlock(&lock);
}

/* A PUBACK means: on the service's disk. */
static void on_publish(struct mosquitto *line, void *data, int mid) {
  (void)line, (void)data;
  pthread_mutex_lock(&lock);
  for (sos *a = alarms; a; a = a->next) {
    if (a->mid != mid || a->is_over) continue;
    a->mid = 0;
    a->on_server = a->news = true;
    keep_alarm(a);
    show(a, "on the server");
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* An event is only the reason to ask for the state: so nothing can be missed or come in the wrong order. */
static void on_message(struct mosquitto *line, void *data, const struct mosquitto_message *message) {
  (void)line, (void)data, (void)message;
  pthread_mutex_lock(&lock);
  wake_all();
  pthread_mutex_unlock(&lock);
}

/* The service's id of the user, which topics have, from the disk or from the service. */
static bool topic_id(char id[64]) {
  cJSON *known = kept("user-id");
  snprintf(id, 64, "%s", text_of(known));
  cJSON_Delete(known);
  if (id[0]) return true;
  answer me = ask("GET", "/v1/sdk/me", NULL);
  if (me.status == 200) snprintf(id, 64, "%s", text_of(item(me.body, "id")));
  cJSON_Delete(me.body);
  char text[80];
  snprintf(text, sizeof text, "\"%s\"", id);
  if (id[0]) keep("user-id", text);
  return id[0] != '\0';
}

/* Until the connection is lost. Returns whether there was one. Each has a client of its own: a library that reconnects
   by itself sends unacknowledged presses again, even those that the person has cancelled since. */
static bool one_connection(void) {
  char id[64], events[80], alerts[80], client_id[64], name[600], hash[sizeof user_hash];
  if (!topic_id(id)) return false;
  current_hash(hash);
  snprintf(events, sizeof events, "sos/events/%s", id);
  snprintf(alerts, sizeof alerts, "sos/alerts/%s", id);
  snprintf(name, sizeof name, "sdk:%s:%s", app_id, user_id);
  /* Of this run alone: two phones of one user with the same client id would throw each other off. */
  snprintf(client_id, sizeof client_id, "svc_%lx%lx%lx", random(), random(), random());
  char *data[] = {events, hash};
  struct mosquitto *line = mosquitto_new(client_id, true, data);
  mosquitto_username_pw_set(line, name, hash);
  mosquitto_tls_set(line, ca, ca ? NULL : "/etc/ssl/certs", NULL, NULL, NULL);
  mosquitto_connect_callback_set(line, on_connect);
  mosquitto_publish_callback_set(line, on_publish);
  mosquitto_message_callback_set(line, on_message);
  int code = mosquitto_connect(line, mqtt_host, mqtt_port, 30);
  bool was_up = false;
  while (code == MOSQ_ERR_SUCCESS && (code = mosquitto_loop(line, 100, 1)) == MOSQ_ERR_SUCCESS) {
    pthread_mutex_lock(&lock);
    was_up |= line_is_up;
    for (sos *a = alarms; a && line_is_up; a = a->next) {
      if (!a->to_publish || !wants_sending(a)) continue;
      char *text = cJSON_PrintUnformatted(a->alert);
      mosquitto_publish(line, &a->mid, alerts, (int)strlen(text), text, 1, false);
      free(text);
      a->to_publish = false;
    }
    pthread_mutex_unlock(&lock);
  }
  mosquitto_destroy(line);
  pthread_mutex_lock(&lock);
  line_is_up = false;
  for (sos *a = alarms; a; a = a->next) {
    if (a->mid || a->to_publish) a->news = true; /* no PUBACK will come */
    a->mid = 0;
    a->to_publish = false;
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return was_up;
}

static void *keep_connected(void *unused) {
  (void)unused;
  for (int attempt = 0;;) {
    attempt = one_connection() ? 0 : attempt + 1;
    usleep((useconds_t)(delay(attempt) * 1e6));
  }
  return NULL;
}

/* ---- One press, from the disk to its end. With the lock, which `asked` lets go. Each returns the s to wait. */

static answer asked(const char *method, const char *path, cJSON *body) {
  pthread_mutex_unlock(&lock);
  answer got = ask(method, path, body);
  pthread_mutex_lock(&lock);
  return got;
}

static double later(sos *a, long asked_s) {
  double seconds = delay(a->attempt++);
  a->not_before = now() + asked_s;
  return seconds > asked_s ? seconds : asked_s;
}

static double ends(sos *a, const char *text) {
  char path[PATH];
  path_of(path, a->name, ".json");
  unlink(path);
  a->is_over = true;
  show(a, "%s", text);
  return 0;
}

static void learns(sos *a, const cJSON *incident) {
  a->on_server = true;
  a->attempt = 0;
  const char *id = text_of(item(incident, "incidentId"));
  bool is_new = strcmp(a->incident_id, id) != 0;
  snprintf(a->incident_id, sizeof a->incident_id, "%s", id);
  if (is_new) keep_alarm(a);
}

static void show_incident(sos *a, const cJSON *incident) {
  const cJSON *one, *contacts = NULL, *contact;
  cJSON_ArrayForEach(one, item(item(incident, "actuators"), "items"))
    if (is_text(item(one, "type"), "emergency_contacts")) contacts = one;
  if (!is_text(item(incident, "status"), "acknowledged")) {
    show(a, is_text(item(contacts, "outcome"), "success") ? "contacts alerted" : "on the server");
    return;
  }
  cJSON_ArrayForEach(contact, item(contacts, "contacts")) {
    const cJSON *response = item(contact, "response"), *eta = item(response, "etaMinutes");
    const char *kind = text_of(item(response, "kind"));
    if (!item(contact, "acknowledgedAt") || (strcmp(kind, "coming") != 0 && strcmp(kind, "calling") != 0)) continue;
    if (cJSON_IsNumber(eta)) show(a, "%s is %s, %d min", text_of(item(contact, "name")), kind, eta->valueint);
    else show(a, "%s is %s", text_of(item(contact, "name")), kind);
    return;
  }
  const char *by = text_of(item(item(incident, "acknowledgedBy"), "name"));
  show(a, "%s has answered", by[0] ? by : "somebody");
}

/* A bad field must not cost the alarm: without it at once, then with nothing but time and device. */
static double without_refused_fields(sos *a, const cJSON *error) {
  static const char *const together[] = {"latitude", "longitude", "altitude"};
  cJSON *rest = cJSON_Duplicate(a->alert, true);
  const cJSON *field;
  cJSON_ArrayForEach(field, item(error, "fields")) {
    char name[100];
    const char *given = text_of(item(field, "field"));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "."), given);
    if (strcmp(name, "timestamp") != 0) cJSON_DeleteItemFromObjectCaseSensitive(rest, name);
    for (int n = 0; n < 3; n++)
      if (strcmp(name, together[n]) == 0)
        for (int m = 0; m < 3; m++) cJSON_DeleteItemFromObjectCaseSensitive(rest, together[m]);
  }
  if (cJSON_GetArraySize(rest) == cJSON_GetArraySize(a->alert)) {
    cJSON_Delete(rest);
    rest = bare(a->alert);
  }
  bool is_less = cJSON_GetArraySize(rest) < cJSON_GetArraySize(a->alert);
  cJSON_Delete(a->alert);
  a->alert = rest;
  keep_alarm(a);
  return is_less ? 0 : ends(a, "over: REFUSED for good");
}

static double taken(sos *a, const cJSON *body) {
  const cJSON *incident = item(body, "incident");
  const char *until = text_of(item(item(body, "putOff"), "until"));
  struct tm time_of_day = {0};
  if (cJSON_IsObject(incident)) {
    learns(a, incident);
    show_incident(a, incident);
    return 0;
  }
  if (!strptime(until, "%Y-%m-%dT%H:%M:%S", &time_of_day))
    return ends(a, "over"); /* a repeat of a press whose alarm has ended, or an end came first */
  /* Many presses without a pause look like a stuck button. The same press again says what it is by then. */
  show(a, "put off until %s: nobody is alarmed. Press again after 15 s without a press", until);
  double seconds = difftime(timegm(&time_of_day), time(NULL));
  return later(a, seconds < 15 ? 15 : seconds > 3600 ? 3600 : (long)seconds);
}

static double send_press(sos *a) {
  if (line_is_up) {
    a->to_publish = true;
    wait_for_news(a, PUBACK_S);
  }
  double left = a->not_before - now();
  if (!wants_sending(a) || left > 0) return left > 0 ? left : 0; /* what wakes it must not shorten a Retry-After */
  answer got = asked("POST", "/v1/sdk/sos", cJSON_Duplicate(a->alert, true));
  const cJSON *error = item(got.body, "error");
  double wait;
  if (got.status >= 200 && got.status < 300 && item(got.body, "incident")) wait = taken(a, got.body);
  else if (a->on_server) wait = 0; /* a PUBACK came meanwhile */
  else if (got.status == 400 || got.status == 413) wait = without_refused_fields(a, got.status == 400 ? error : NULL);
  else if (got.status == 404 || got.status == 405 || got.status == 415)
    wait = ends(a, "over: REFUSED. This program or its address is wrong");
  else {
    if (got.status) show(a, "kept, NOT on the server: %ld. Trying again", got.status);
    else show(a, "kept, NOT on the server: no answer. Trying again");
    wait = later(a, got.retry_after);
  }
  cJSON_Delete(got.body);
  return wait;
}

static double look(sos *a) {
  answer got = asked("GET", "/v1/sdk/sos", NULL);
  const cJSON *incident = item(got.body, "incident");
  double wait = line_is_up ? LONGEST_WAIT_S : 5;
  if (got.status != 200 || !incident) wait = later(a, got.retry_after);
  else if (cJSON_IsNull(incident))
    wait = ends(a, a->incident_id[0] ? "over" : "over, or put off since the button looks stuck");
  else if (a->incident_id[0] && !is_text(item(incident, "incidentId"), a->incident_id)) wait = ends(a, "over");
  else {
    learns(a, incident);
    show_incident(a, incident);
  }
  cJSON_Delete(got.body);
  return wait;
}

static double send_end(sos *a) {
  answer got = asked("POST", "/v1/sdk/sos/cancel", cJSON_Duplicate(a->end, true));
  const cJSON *incident = item(got.body, "incident");
  double wait = 0;
  if (got.status != 200 || !incident) {
    show(a, "the end is kept, NOT on the server. Trying again");
    wait = later(a, got.retry_after);
  } else if (cJSON_IsNull(incident) || cJSON_IsTrue(item(got.body, "ended"))) {
    wait = ends(a, "over");
  } else {
    cJSON_Delete(a->end);
    a->end = NULL;
    a->pressed_again = true;
    learns(a, incident);
    keep_alarm(a);
    show(a, "still open: somebody has pressed again. `cancel` once more ends that alarm");
  }
  cJSON_Delete(got.body);
  return wait;
}

static void *work(void *given) {
  sos *a = given;
  pthread_mutex_lock(&lock);
  while (!a->is_over) {
    a->news = false;
    double wait = a->end ? send_end(a) : a->on_server ? look(a) : send_press(a);
    if (!a->is_over && wait > 0) wait_for_news(a, wait);
  }
  sos **place = &alarms;
  while (*place != a) place = &(*place)->next;
  *place = a->next;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  cJSON_Delete(a->alert);
  cJSON_Delete(a->end);
  free(a);
  return NULL;
}

/* Takes `alert`. */
static sos *new_alarm(cJSON *alert) {
  sos *a = calloc(1, sizeof *a);
  if (!a) perror("no memory"), exit(1);
  a->alert = alert;
  snprintf(a->name, sizeof a->name, "%s", text_of(item(alert, "timestamp")));
  return a;
}

/* With the lock. */
static void begin(sos *a) {
  pthread_t thread;
  a->next = alarms;
  alarms = a;
  if (pthread_create(&thread, NULL, work, a) == 0) pthread_detach(thread);
}

static void press(const char *fields) {
  for (const sos *a = alarms; a; a = a->next)
    if (wants_sending(a)) {
      puts("the press before is still being sent");
      return;
    }
  cJSON *alert = strlen(fields) > MAX_FIELDS ? NULL : cJSON_Parse(fields);
  if (!cJSON_IsObject(alert)) { /* a press is never lost for what comes with it */
    cJSON_Delete(alert);
    alert = cJSON_CreateObject();
  }
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  char seconds[32], name[40];
  int ms = (int)(time.tv_nsec / 1000000) % 1000;
  strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", gmtime(&time.tv_sec));
  snprintf(name, sizeof name, "%.30s.%03dZ", seconds, ms);
  cJSON_DeleteItemFromObjectCaseSensitive(alert, "timestamp");
  cJSON_AddStringToObject(alert, "timestamp", name);
  sos *a = new_alarm(alert);
  show(a, keep_alarm(a) ? "kept, NOT on the server yet" : "NOT on disk: leave this program running");
  begin(a);
}

/* Names the alarm by the person's last press that is part of it: an end that waits in the network must not end what is
   pressed after it. Asked once more, after somebody has pressed again, the person means that incident. */
static cJSON *end_of(const sos *a) {
  cJSON *end = cJSON_CreateObject();
  const sos *last = a;
  for (const sos *one = alarms; one; one = one->next) {
    bool is_same = a->incident_id[0] && !one->is_over && strcmp(one->incident_id, a->incident_id) == 0;
    if (is_same && strcmp(one->name, last->name) > 0) last = one;
  }
  if (a->pressed_again) cJSON_AddStringToObject(end, "incidentId", a->incident_id);
  else cJSON_AddItemToObject(end, "alert", bare(last->alert));
  return end;
}

static void cancel(void) {
  for (sos *a = alarms; a; a = a->next) {
    if (a->is_over || a->end) continue;
    a->end = end_of(a);
    a->news = true;
    keep_alarm(a);
  }
  pthread_cond_broadcast(&changed);
}

static void go_on(void) {
  DIR *folder = opendir(store);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (!strstr(entry->d_name, "Z.json") || strstr(entry->d_name, ".new")) continue;
    cJSON *record = kept(entry->d_name);
    if (!cJSON_IsString(item(item(record, "alert"), "timestamp"))) {
      cJSON_Delete(record); /* none of this program's files */
      continue;
    }
    sos *a = new_alarm(cJSON_DetachItemFromObjectCaseSensitive(record, "alert"));
    a->end = cJSON_DetachItemFromObjectCaseSensitive(record, "end");
    a->pressed_again = cJSON_IsTrue(item(record, "pressed_again"));
    a->on_server = cJSON_IsTrue(item(record, "on_server"));
    snprintf(a->incident_id, sizeof a->incident_id, "%s", text_of(item(record, "incident_id")));
    cJSON_Delete(record);
    begin(a);
  }
  if (folder) closedir(folder);
}

static const char *needed(const char *name) {
  const char *value = getenv(name);
  if (!value) fprintf(stderr, "%s is missing: see README.md\n", name), exit(2);
  return value;
}

int main(void) {
  url = needed("TOCSIN_URL"), mqtt_host = needed("TOCSIN_MQTT_HOST");
  mqtt_port = getenv("TOCSIN_MQTT_PORT") ? atoi(getenv("TOCSIN_MQTT_PORT")) : 8883;
  app_id = needed("TOCSIN_APP_ID"), user_id = needed("TOCSIN_USER_ID"), store = needed("TOCSIN_STORE");
  hash_url = getenv("TOCSIN_USER_HASH_URL"), ca = getenv("TOCSIN_CA");
  if (strncmp(url, "https://", 8) != 0)
    return fputs("TOCSIN_URL must begin with https://: the hash would go over the network in clear\n", stderr), 2;
  if (getenv("TOCSIN_USER_HASH")) snprintf(user_hash, sizeof user_hash, "%s", getenv("TOCSIN_USER_HASH"));
  if (mkdir(store, 0700) != 0 && errno != EEXIST) return perror(store), 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN); /* a connection that ends, or an output that nobody reads, must not end the program */
  struct timespec seed;
  clock_gettime(CLOCK_REALTIME, &seed);
  srandom((unsigned)(seed.tv_nsec ^ getpid()));
  pthread_condattr_t steady;
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &steady);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  mosquitto_lib_init();

  pthread_t line;
  pthread_mutex_lock(&lock);
  go_on();
  pthread_mutex_unlock(&lock);
  pthread_create(&line, NULL, keep_connected, NULL);
  char *command = NULL;
  for (size_t size = 0; getline(&command, &size, stdin) > 0;) {
    pthread_mutex_lock(&lock);
    if (strncmp(command, "press", 5) == 0) press(command + 5);
    else if (strncmp(command, "cancel", 6) == 0) cancel();
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  while (alarms) pthread_cond_wait(&changed, &lock); /* the input has ended: what is open goes on */
  pthread_mutex_unlock(&lock);
  return 0;
}
