/** The meaning of a publish on one of the user's own topics. */
export type PublishKind = 'alert' | 'telemetry' | 'timer' | 'legacy_alert'

/** The owner of the topics. `legacy`: whether the application allows those of access.md#legacy-topics. */
type Owner = { readonly userId: string; readonly externalUserId: string; readonly legacy: boolean }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the text is a UUID of any version, in either case. */
export const isUuid = (text: string): boolean => UUID.test(text)

/**
 * Whether an external user id may appear in a topic. access.md#legacy-topics: ids with a wildcard, a level separator or
 * NUL would name other topics, and one that looks like a UUID could be mistaken for another user's `sdk_user_id`.
 */
const hasLegacyTopics = (owner: Owner): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of those that access.md#legacy-topics names
  owner.legacy && !/[+#/\u0000]/.test(owner.externalUserId) && !isUuid(owner.externalUserId)

/**
 * The kind of publish that this session may make on `topic`, or null if the access rules refuse it.
 * access.md#topic-access; legacy topics: access.md#legacy-topics (a `legacy_alert` must still prove its `userId`).
 */
export function publishKind(topic: string, session: Owner): PublishKind | null {
  if (topic === `tel/${session.userId}/data`) return 'telemetry'
  if (topic === `sos/alerts/${session.userId}`) return 'alert'
  if (topic === timerTopic(session.userId)) return 'timer'
  if (!session.legacy) return null
  if (topic === 'sos/alerts') return 'legacy_alert'
  return hasLegacyTopics(session) && topic === `tel/${session.externalUserId}/data` ? 'telemetry' : null
}

/** Whether this session may subscribe to exactly `topic` and receive its messages. Never a wildcard. */
export function maySubscribe(topic: string, session: Owner): boolean {
  const { userId } = session
  return topic === timerTopic(userId) || topic === talkTopic(userId) || eventTopics(session).includes(topic)
}

/** The topic of a user's events, whatever the application. */
const ownEventTopic = (userId: string): string => `sos/events/${userId}`

/** The topic of a user's timers: the user publishes on it and is reminded there. */
export const timerTopic = (userId: string): string => `sos/timers/${userId}`

/** The topic of messages to the user, and by the user's other devices, during an alarm. */
export const talkTopic = (userId: string): string => `sos/messages/${userId}`

/** The topics on which a user is told something, in the form that every application has. */
export const ownTopics = (userId: string): readonly string[] => [
  ownEventTopic(userId),
  timerTopic(userId),
  talkTopic(userId),
]

/** Whether a subscription to `topic` gets the state of the user's incident. rules.md#state-on-subscribe. */
export const hasState = (topic: string): boolean => topic.startsWith('sos/events/')

/**
 * The topics of a user's incident events: the user's own, and for a legacy application also that of the external id.
 */
export function eventTopics(owner: Owner): readonly string[] {
  const own = ownEventTopic(owner.userId)
  return hasLegacyTopics(owner) ? [own, `sos/events/${owner.externalUserId}`] : [own]
}
