/** The MQTT user name of every tracker; its password is its token, which says which one it is. trackers.md. */
export const TRACKER_USERNAME = 'tracker'

const ROOT = 'owntracks'
const COMMANDS = 'cmd'
/** What the apps publish below their own topic. Nothing of it is kept. */
const OTHERS = ['event', 'info', 'waypoint', 'waypoints', 'dump', 'status', 'step', 'beacon', 'request', COMMANDS]

/** The level below `owntracks/NAME/DEVICE`: empty at that topic itself. Null for a topic of another form. */
function levelOf(topic: string): string | null {
  const [root, name, device, level = '', ...more] = topic.split('/', 6)
  const isOwn = root === ROOT && isName(name) && isName(device) && more.length === 0
  return isOwn && !(level === '' && topic.endsWith('/')) ? level : null
}

const isName = (level: string | undefined): boolean => level !== undefined && level !== '' && !/[+#]/.test(level)

/**
 * What a tracker's publish on this topic is: a `report`, or what its app says besides (`ignored`). Null: no topic of
 * OwnTracks. The names in it are whatever the app was given: the token says whose report it is, and nothing that a
 * tracker publishes is passed on to another client.
 */
export function ownTracksPublish(topic: string): 'report' | 'ignored' | null {
  const level = levelOf(topic)
  if (level === null) return null
  if (level === '') return 'report'
  return OTHERS.includes(level) ? 'ignored' : null
}

/**
 * Whether an app may believe that it has subscribed to this topic, the one for commands to itself. Nothing is ever sent
 * there, but the app ends the connection if that, too, is refused.
 */
export const isOwnTracksCommands = (topic: string): boolean => levelOf(topic) === COMMANDS
