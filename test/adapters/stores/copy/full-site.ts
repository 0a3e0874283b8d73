import assert from 'node:assert/strict'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { compactPayload } from '../../../../src/core/ingest/stored-payload.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { effort } from '../../../harness/effort.ts'
import { earlierSite, makeEarlierSite, schemaVersions } from '../sqlite/earlier-site.ts'

const { appId, mia, tom, open, closed, anasToken, openedAt } = earlierSite
/** More than one batch of either store. */
const ROWS = effort(2_100, 30_000)
/** What a copy has to carry unchanged. */
const ODD = `a "quote", a \\\\ {brace}, NULL\n\tü 🆘 ''`

/** A stopped SQLite site with rows in every table, records of the earliest version among them. */
export function makeFullSite(dataDir: string): void {
  makeEarlierSite(dataDir, schemaVersions.at(-1)!)
  const db = new Database(join(dataDir, 'tocsin.db'))
  const run = (sql: string, ...values: unknown[]): unknown => db.prepare(sql).run(...values)
  db.transaction(() => {
    run(
      'UPDATE applications SET time_zone = ?, cors_origins = ?, fallback_contact = ?, name = ?',
      'Europe/Vienna',
      '["https://app.example.com"]',
      '{"name":"Desk","phone":"+431"}',
      ODD,
    )
    run('UPDATE users SET telemetry_bytes = 4711, dead_letter_bytes = 12, address = ? WHERE id = ?', ODD, mia)
    run('UPDATE users SET disabled = 1 WHERE id = ?', tom)
    // Ids that were given before, of rows that are gone.
    run("UPDATE sqlite_sequence SET seq = 70 WHERE name IN ('users', 'application_secrets', 'incidents')")
    run("INSERT INTO sqlite_sequence (name, seq) VALUES ('notices', 9)")
    run('UPDATE hardware SET locked_until = ? WHERE tries = 4', openedAt + 1)
    run("INSERT INTO device_tokens SELECT id, 'hash of ' || id, ? FROM devices", openedAt)
    run('INSERT INTO device_states SELECT id, ?, \'{"heardAt":1,"battery":null,"flag":null}\' FROM devices', openedAt)
    run('INSERT INTO device_hearings SELECT id, ?, ? FROM devices', openedAt, openedAt)
    run('UPDATE hardware SET silent_after_minutes = 360')
    run('UPDATE applications SET silent_after_minutes = 720')
    run(
      `INSERT INTO timers VALUES ('ti1', ?, 10, 300010, 5, ?, '{"latitude":1,"longitude":2}', 'running', NULL, NULL, 1, 2),
         ('ti2', ?, 10, 300010, NULL, NULL, NULL, 'raised', 300011, ?, 1, 300011)`,
      mia,
      ODD,
      tom,
      closed,
    )
    run("INSERT INTO timer_texts VALUES ('tt1', ?, '+431', 3)", mia)
    run("INSERT INTO verifications VALUES ('v1', ?, 'c1', '+431', 1, 0, 2)", mia)
    run("INSERT INTO cards VALUES (?, 'tocsin1:key:sealed', 3)", mia)
    run("INSERT INTO phone_proofs VALUES (?, '+431', 1, NULL, '0815'), (?, '+431', 1, 2, '4711')", mia, tom)
    run("INSERT INTO phone_codes VALUES ('pc1', ?, '+431', '123456', 1, 2, '192.0.2')", mia)
    const talk = '{"version":1,"operator":{"told":2,"at":[3]},"contact":{"told":0,"at":[]},"stopped":false}'
    run("INSERT INTO sms_alerts VALUES ('sa1', '+431', ?, ?, 1, 2, 1, '1234', 'sent', NULL, ?)", mia, open, talk)
    run("UPDATE applications SET sms_sos = 1, sms_number = '+439'")
    run('UPDATE contacts SET verified_at = 5 WHERE priority = 1')
    run('UPDATE contacts SET declined_at = 6 WHERE priority = 2')
    run("INSERT INTO verifications SELECT 'asked ' || id, user_id, id, phone, 4, 0, NULL FROM contacts")
    run("INSERT INTO feedback VALUES ('f2', ?, ?, 'idea', NULL, ?)", tom, `nothing\0 more`, openedAt)
    run("UPDATE incidents SET record = json_set(record, '$.relayUserId', ?) WHERE id = ?", tom, closed)
    run('INSERT INTO relays SELECT number, ? FROM incidents WHERE id = ?', tom, closed)
    run(
      "UPDATE incidents SET record = json_set(record, '$.held', json('true')), next_action_at = NULL WHERE id = ?",
      open,
    )
    run('INSERT INTO timeline SELECT number, 7, ? FROM incidents WHERE id = ?', `{"id":"${open}.7"}`, open)
    run(
      `INSERT INTO incidents (id, app_id, user_id, open, drill, occurred_ms, occurred_nanos, opened_at, closed_at,
         next_action_at, record) SELECT 'drill', app_id, user_id, 0, 1, occurred_ms, occurred_nanos, opened_at, NULL, 7,
         json_remove(json_set(record, '$.id', 'drill', '$.drill', json('{"toContacts":false}')), '$.relayUserId')
         FROM incidents WHERE id = ?`,
      open,
    )
    run('UPDATE incidents SET major_id = ? WHERE id IN (?, ?)', open, open, closed)
    run('UPDATE alerts SET relayed = 1, fingerprint = NULL WHERE user = 2')
    run("INSERT INTO meta VALUES ('believed_moment', ?), ('clock_needs_operator', 1)", openedAt + 5)
    run(
      'INSERT INTO dead_letters (user_id, topic, reason, payload, received_at) VALUES (?, ?, ?, ?, ?)',
      mia,
      ODD,
      'odd',
      Buffer.from([0, 255, 92]),
      1,
    )
    run('UPDATE trail SET altitude = -0.1 WHERE ms % 10000 = 0')
    run(
      `INSERT INTO operators VALUES ('op1', 'ana', ?, 'admin', NULL, 0, 1, 2, 3, 'scrypt', 'aa', 7, '["r1","r2"]', '["192.0.2.1"]'),
         ('op2', 'ben', 'Ben', 'viewer', ?, 1, 1, 2, NULL, NULL, NULL, 0, '[]', '[]')`,
      ODD,
      JSON.stringify([appId]),
    )
    run("INSERT INTO operator_invitations VALUES ('op1', 'h1', 'bb', 1, 2)")
    run(
      `INSERT INTO passkeys VALUES ('k1', 'op1', ?, 'key', 3, 'sos.example.org', 1, '["internal"]', 'app1', 1, NULL, 2)`,
      ODD,
    )
    run("INSERT INTO operator_sessions VALUES ('s1', 'op1', 'h2', 1, 2, 3, '::1', ?, 4)", ODD)
    run(
      "INSERT INTO operator_pushes VALUES ('s1', 'op1', 'https://push.example/3', 'key', 'auth', 'de', 1, 1, NULL, 2, 'HTTP 500')",
    )
    run("INSERT INTO api_tokens VALUES ('t1', 'Wall', 'viewer', NULL, 'h3', 'ana', 1, 2, NULL)")
    run(
      `INSERT INTO operator_audit (at, actor_kind, actor_id, actor_name, address, action, app_id, user_id, subject, details)
         VALUES (1, 'operator', 'op1', 'Ana', '::1', 'user.view', ?, ?, NULL, '{"fields":["a"]}'),
         (2, 'command', NULL, 'command line', NULL, 'operator.manage', NULL, NULL, 'op1', '{}')`,
      appId,
      mia,
    )
    run(
      `UPDATE applications SET web_app = '{"isOn":true,"colour":"#aa0000","emergencyNumber":null,"country":"AT"}' WHERE id = ?`,
      appId,
    )
    run(
      `INSERT INTO app_invitations VALUES ('i1', ?, 'contact', ?, 'h5', ?, '{"name":"Ana","phone":"+43"}', 2, 1, 'Ana', 1, 2, NULL)`,
      ...[appId, mia, ODD],
    )
    run("INSERT INTO app_devices VALUES ('d1', ?, 'i1', ?, 'h6', 'k1', 's1', 1, NULL, 3)", mia, ODD)
    run(
      "INSERT INTO push_subscriptions VALUES ('d1', ?, 'https://push.test/1', 'p', 'a', 'de', 1, 1, 'i1 over', 2, 3, 4, 5, 'refused')",
      mia,
    )
    run("INSERT INTO removal_texts VALUES ('rt1', ?, 'replaced', 5, 4, '+436641234567')", mia)
    run("INSERT INTO push_keys VALUES ('vapid', 'tocsin1:key:sealed', 6)")
    run("UPDATE users SET enrolled_by = 'poster', invitation_id = 'i1', erases_at = 7 WHERE id = ?", mia)
    run("INSERT INTO hand_overs VALUES ('op1', 'op1', 5, 'declined', 6)")
    run("INSERT INTO shift_notes VALUES ('op1', 7, ?, '[\"a\"]')", ODD)
    run('UPDATE users SET text_language = ?, operator_notes = ?, group_names = ?', 'fr', ODD, JSON.stringify([ODD]))
    run("INSERT INTO on_call VALUES ('list', ?)", JSON.stringify({ order: [], overrides: [], people: [{ id: ODD }] }))
    run(
      "INSERT INTO site_settings VALUES ('publicUrl', ?, 0, 3, 'Ana'), ('twilio.authToken', 'tocsin1:k:s', 1, 4, ?)",
      JSON.stringify(ODD),
      ODD,
    )
    run(
      `INSERT INTO setting_changes VALUES ('c1', 3, 'Ana', 'address', '[{"key":"publicUrl","value":null,"sealed":false}]', ?)`,
      JSON.stringify([{ key: 'publicUrl', value: ODD, sealed: false }]),
    )
    run("INSERT INTO incident_notes SELECT 'n1', number, 1, 'Ana', ? FROM incidents WHERE id = ?", ODD, open)
    run(
      `INSERT INTO talk_lines SELECT number, 3, 1, 'contact', 'sms', 'c1', ?, '+43', 'k', ?, 'yes', 1, '["c1","c2"]'
         FROM incidents WHERE id = ?`,
      ODD,
      ODD,
      open,
    )
    run("INSERT INTO called_back SELECT number, '', 1, 'Ana' FROM incidents WHERE id = ?", closed)
    run("INSERT INTO notices (left_at, notice) VALUES (1, '{}')")
    run("INSERT INTO awaited_ends VALUES (2, 1, 0, '', 1, 2)")
    run('INSERT INTO unnamed_ends VALUES (?, 1, 2)', appId)
    run("INSERT INTO certificate_records VALUES ('certificate', 'v1.sealed', 1)")
    run("INSERT INTO relayed_telemetry VALUES (2, 1, 0, 'TRK-1', NULL, 1, '{}', 'other', NULL)")
    run(
      "INSERT INTO relayed_trail SELECT number, 1, 2, 'then', 1.5, 2.5, NULL, NULL, 'other', 'TRK-1' FROM incidents WHERE id = ?",
      open,
    )
    run("UPDATE trail SET source = 'device', device_id = 'TRK-1'")
    // Half of them of an earlier version, as JSON.
    const row = db.prepare('INSERT INTO telemetry VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)')
    for (let n = 0; n < ROWS; n += 1) {
      const timestamp = new Date(n).toISOString()
      const json = n % 4 < 2 ? JSON.stringify({ timestamp, n, note: ODD }) : ''
      const compact = json === '' ? compactPayload({ timestamp, altitude: n }, { time: null, deviceId: null }) : null
      row.run(2, n, n % 7, n % 2 === 0 ? 'TRK-ü' : '', n % 3 === 0 ? null : timestamp, n, json, compact)
    }
  })()
  db.close()
}

/** Everything that the ports read of it. */
export async function readFullSite(store: Store): Promise<unknown> {
  const all = { after: null, limit: 3_000 }
  const pages = [mia, tom].map((id) => store.telemetryHistory(id, { ...all, from: null, to: null }))
  const histories = [mia, tom].map((id) => store.history(id, all))
  const seen = {
    applications: await store.applications(),
    admitting: await store.admittingApplication(appId),
    users: await store.users(appId),
    contacts: [await store.contacts(mia), await store.contacts(tom)],
    asked: await Promise.all((await store.contacts(mia)).map(({ id }) => store.verification(`asked ${id}`))),
    proofs: [await store.phoneProof(mia), await store.phoneProof(tom)],
    texts: await store.smsAlerts('+431', 0),
    devices: await store.devices(mia),
    hardware: await store.registeredHardware(appId),
    feedback: await store.feedback(),
    settings: await store.siteSettings(),
    settingChanges: await store.settingChanges(),
    timers: [await store.timers(mia), await store.timers(tom)],
    incidents: await store.incidents({ openOnly: false }),
    histories: await Promise.all(histories),
    drills: await store.drills({ appId, userId: mia, since: 0, limit: 10 }),
    attempts: [await store.attempts(open), await store.attempts(closed)],
    link: await store.trackingLink(anasToken),
    telemetry: await Promise.all(pages),
    outbox: await store.outbox({ incidentId: null }),
    letters: await store.deadLetters(),
    operators: [await store.operators(), await store.operatorByLogin('ana')],
    shifts: [await store.handOvers(), await store.shiftNotes()],
    onCall: await store.onCall(),
    access: [
      await store.passkeys(null),
      await store.operatorPushes(null),
      await store.operatorInvitation('h1'),
      await store.operatorSession('h2'),
      await store.apiToken('h3'),
      await store.apiTokens(),
    ],
    audit: await store.auditRows({ after: null, limit: 10 }),
    talk: await store.talkLines(open, 0, 10),
    cases: [await store.incidentNotes(open), await store.calledBackTicks(closed)],
    clock: await store.clockRecord(),
    next: await store.nextActionAt(),
    due: await store.due(openedAt * 2, 10),
    figures: await store.figures(),
  }
  assert.ok(JSON.stringify(seen).length > 100_000)
  // Buffers of different kinds hold the same bytes.
  return { ...seen, letters: seen.letters.map((letter) => ({ ...letter, payload: Buffer.from(letter.payload) })) }
}

/** Every row of the database of a stopped site, but what belongs to the moment and the place. */
export function rowsOf(dataDir: string): Readonly<Record<string, unknown>> {
  const db = new Database(join(dataDir, 'tocsin.db'), { readonly: true })
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
      .filter((name) => name !== 'notices' && name !== 'departure')
    const rows = (name: string): unknown =>
      db
        .prepare(`SELECT * FROM ${name} ${name === 'sqlite_sequence' ? "WHERE name <> 'notices'" : ''} ORDER BY 1, 2`)
        .all()
    return Object.fromEntries(tables.map((name) => [name, rows(name)]))
  } finally {
    db.close()
  }
}
