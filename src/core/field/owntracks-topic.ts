/** The MQTT user name that every tracker uses; its password is its token, which identifies it. trackers.md. */
export const TRACKER_USERNAME = 'tracker'

const ROOT = 'owntracks'
const COMMANDS = 'cmd'
/** Levels below the app's own topic to which the apps publish. None of it is stored. */
const OTHERS = ['event', 'info', 'waypoint', 'waypoints', 'dump', 'status', 'step', 'beacon', 'request', COMMANDS]

/** The level below `owntracks/NAME/DEVICE`: empty at that topic itself. Null for a topic of another form. */
function levelOf(topic: string): string | null {
  const [root, name, device, level = '', ...more] = topic.split('/', 6)
  const isOwn = root === ROOT && isName(name) && isName(device) && more.length === 0
  return isOwn && !(level === '' && topic.endsWith('/')) ? level : null
}

const isName = (level: string | undefined): boolean => level !== undefined && level !== '' && !/[+#]/.test(level)

/**
 * The kind of publish on this topic: a `report`, or another message of the app (`ignored`). Null: not an OwnTracks
 * topic. The names in the topic are whatever the app was configured with: the token identifies the tracker, and a
 * tracker's publish is never passed on to another client.
 */
export function ownTracksPublish(topic: string): 'report' | 'ignored' | null {
  const level = levelOf(topic)
  if (level === null) return null
  if (level === '') return 'report'
  return OTHERS.includes(level) ? 'ignored' : null
}

/**
 * Whether an app is granted a subscription to this topic, its command topic. Nothing is ever sent there, but the app
 * disconnects if the subscription is refused.
 */
export const isOwnTracksCommands = (topic: string): boolean => levelOf(topic) === COMMANDS
