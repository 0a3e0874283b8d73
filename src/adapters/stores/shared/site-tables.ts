/** How the values of a column travel: `boolean` as 0 or 1, `json` as its text, unchanged, `bytes` in hexadecimal. */
export type ColumnKind = 'integer' | 'real' | 'text' | 'boolean' | 'json' | 'bytes'
/** The values of one row, in the order of the table's columns. */
export type SiteRow = readonly (string | number | null)[]

/** One table of a site as it travels between stores. */
export type SiteTable = {
  readonly name: string
  /** So many of the first columns are the key. Rows travel in its order; text is compared by its bytes. */
  readonly key: number
  readonly columns: Readonly<Record<string, ColumnKind>>
}

const table = (name: string, key: number, columns: SiteTable['columns']): SiteTable => ({ name, key, columns })

const place = { ms: 'integer', nanos: 'integer' } as const
const period = { created_at: 'integer', updated_at: 'integer' } as const

const trail = {
  incident_number: 'integer',
  ...place,
  at: 'text',
  latitude: 'real',
  longitude: 'real',
  altitude: 'real',
  accuracy: 'real',
  source: 'text',
  device_id: 'text',
} as const
const telemetry = {
  user_number: 'integer',
  ...place,
  device_id: 'text',
  at: 'text',
  received_at: 'integer',
  payload: 'text',
  source: 'text',
} as const

/**
 * Everything that a site keeps, in an order in which each row comes after those it refers to. Named as in PostgreSQL.
 * What is only for the moment stays behind: notices, leases, and which erasures are still being swept up.
 */
export const siteTables: readonly SiteTable[] = [
  table('applications', 1, {
    id: 'text',
    name: 'text',
    language: 'text',
    legacy: 'boolean',
    disabled: 'boolean',
    settings: 'json',
    actuators: 'json',
    texts: 'json',
    allowed_prefixes: 'json',
    time_zone: 'text',
    cors_origins: 'json',
    fallback_contact: 'json',
    silent_after_minutes: 'integer',
    verify_contacts: 'boolean',
    silent_by_default: 'boolean',
    relays: 'text',
    created_at: 'integer',
  }),
  table('application_secrets', 1, { id: 'integer', app_id: 'text', secret: 'text', created_at: 'integer' }),
  table('users', 1, {
    number: 'integer',
    id: 'text',
    app_id: 'text',
    external_user_id: 'text',
    name: 'text',
    email: 'text',
    phone: 'text',
    address: 'text',
    disabled: 'boolean',
    relay: 'boolean',
    wrong_codes: 'text',
    ...period,
  }),
  // Only users who take any room.
  table('usage', 1, { user_number: 'integer', telemetry_bytes: 'integer', dead_letter_bytes: 'integer' }),
  table('contacts', 1, {
    id: 'text',
    user_id: 'text',
    priority: 'integer',
    name: 'text',
    phone: 'text',
    email: 'text',
    language: 'text',
    verified_at: 'integer',
    declined_at: 'integer',
    stopped_at: 'integer',
    ...period,
  }),
  table('verifications', 1, {
    token: 'text',
    user_id: 'text',
    contact_id: 'text',
    phone: 'text',
    requested_at: 'integer',
    withheld: 'boolean',
    sent_at: 'integer',
  }),
  table('devices', 1, {
    id: 'text',
    app_id: 'text',
    hardware_id: 'text',
    user_id: 'text',
    firmware_version: 'text',
    hardware_model: 'text',
    paired_at: 'integer',
    ...period,
  }),
  table('device_tokens', 1, { device_id: 'text', hash: 'text', created_at: 'integer' }),
  table('device_states', 1, { device_id: 'text', heard_at: 'integer', state: 'json' }),
  table('device_hearings', 1, { device_id: 'text', heard_at: 'integer', silent_since: 'integer' }),
  table('hardware', 2, {
    app_id: 'text',
    hardware_id: 'text',
    code_hash: 'text',
    model: 'text',
    tries: 'integer',
    locked_until: 'integer',
    registered_at: 'integer',
    silent_after_minutes: 'integer',
  }),
  table('feedback', 1, {
    number: 'integer',
    id: 'text',
    user_id: 'text',
    message: 'text',
    category: 'text',
    rating: 'integer',
    created_at: 'integer',
  }),
  table('timers', 1, {
    id: 'text',
    user_id: 'text',
    due_at: 'integer',
    opens_at: 'integer',
    reminds_at: 'integer',
    note: 'text',
    position: 'json',
    status: 'text',
    over_at: 'integer',
    incident_id: 'text',
    ...period,
  }),
  table('timer_texts', 1, { id: 'text', user_id: 'text', phone: 'text', sent_at: 'integer' }),
  // A record stays as the version that wrote it left it: its reader brings it up to date.
  table('incidents', 1, {
    number: 'integer',
    id: 'text',
    app_id: 'text',
    user_id: 'text',
    open: 'boolean',
    occurred_ms: 'integer',
    occurred_nanos: 'integer',
    opened_at: 'integer',
    closed_at: 'integer',
    next_action_at: 'integer',
    relay_user_id: 'text',
    through_device: 'text',
    held: 'boolean',
    drill: 'boolean',
    put_off: 'boolean',
    urgency: 'integer',
    record: 'json',
  }),
  table('tracking_tokens', 1, { token: 'text', incident_number: 'integer', contact_id: 'text' }),
  table('alerts', 4, {
    user_number: 'integer',
    ...place,
    device_id: 'text',
    incident_number: 'integer',
    received_at: 'integer',
    fingerprint: 'text',
    relayed: 'boolean',
    sent_ms: 'integer',
    sent_nanos: 'integer',
    sent_by: 'text',
    run: 'text',
  }),
  table('awaited_ends', 4, { user_number: 'integer', ...place, device_id: 'text', at: 'integer' }),
  table('unnamed_ends', 2, { app_id: 'text', day: 'integer', count: 'integer' }),
  table('timeline', 2, { incident_number: 'integer', n: 'integer', attempt: 'json' }),
  table('trail', 3, trail),
  table('relayed_trail', 3, trail),
  table('telemetry', 4, telemetry),
  table('relayed_telemetry', 4, telemetry),
  table('outbox', 1, {
    id: 'integer',
    attempt_id: 'text',
    incident_id: 'text',
    contact_id: 'text',
    channel: 'text',
    recipient: 'text',
    text: 'text',
    created_at: 'integer',
  }),
  table('dead_letters', 1, {
    id: 'integer',
    user_id: 'text',
    topic: 'text',
    reason: 'text',
    payload: 'bytes',
    received_at: 'integer',
  }),
  table('operators', 1, {
    id: 'text',
    login: 'text',
    name: 'text',
    role: 'text',
    applications: 'json',
    disabled: 'boolean',
    ...period,
    signed_in_at: 'integer',
    password_hash: 'text',
    totp_secret: 'text',
    totp_step: 'integer',
    recovery_hashes: 'json',
    known_networks: 'json',
  }),
  table('operator_invitations', 1, {
    operator_id: 'text',
    hash: 'text',
    totp_secret: 'text',
    created_at: 'integer',
    expires_at: 'integer',
  }),
  table('operator_sessions', 1, {
    id: 'text',
    operator_id: 'text',
    hash: 'text',
    created_at: 'integer',
    seen_at: 'integer',
    expires_at: 'integer',
    address: 'text',
    browser: 'text',
    proved_at: 'integer',
  }),
  table('api_tokens', 1, {
    id: 'text',
    name: 'text',
    role: 'text',
    applications: 'json',
    hash: 'text',
    created_by: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    used_at: 'integer',
  }),
  table('operator_audit', 1, {
    id: 'integer',
    at: 'integer',
    actor_kind: 'text',
    actor_id: 'text',
    actor_name: 'text',
    address: 'text',
    action: 'text',
    app_id: 'text',
    user_id: 'text',
    subject: 'text',
    details: 'json',
  }),
  table('incident_notes', 1, { id: 'text', incident_number: 'integer', at: 'integer', author: 'text', text: 'text' }),
  table('called_back', 2, { incident_number: 'integer', contact_id: 'text', at: 'integer', author: 'text' }),
  // Files in the data directory where the store is SQLite.
  table('shared_keys', 1, { name: 'text', value: 'bytes' }),
  // No tables of either store.
  table('highest_ids', 1, { table_name: 'text', id: 'integer' }),
  table('clock', 1, { name: 'text', value: 'integer' }),
]

/** The tables whose ids are never given twice: the highest one ever given travels, too. In the order of their names. */
export const numberedTables = [
  'application_secrets',
  'dead_letters',
  'incidents',
  'operator_audit',
  'outbox',
  'users',
] as const
/** See the port's ClockStore. In the order of their names; 0: not set. */
export const clockValues = ['believed_moment', 'clock_needs_operator', 'newest_moment'] as const
