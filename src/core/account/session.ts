/** The verified user behind a request or connection. protocol.md#identity, access.md#login. */
export type Session = {
  readonly appId: string
  /** The `sdk_user_id`, which is the user segment in all MQTT topics. */
  readonly userId: string
  readonly externalUserId: string
  /** Whether the application allows the legacy topics of access.md#legacy-topics. */
  readonly legacy: boolean
  /** The application secret that admitted this session, so that retiring it can end it; null: a credential did. */
  readonly secretId: number | null
  /** The device whose credential admitted this session, so that removing it can end the session. */
  readonly appDeviceId?: string
}

/**
 * A tracker that has logged in to MQTT with its own token. It reports as `userId` but has none of that user's rights:
 * it reads nothing and ends nothing. devices.md#flags.
 */
export type TrackerSession = {
  readonly appId: string
  readonly userId: string
  /** `tokenHash`: of the token that admitted it, checked again for each of its reports. */
  readonly tracker: { readonly deviceId: string; readonly tokenHash: string }
}

/** The party behind an MQTT connection. */
export type ClientSession = Session | TrackerSession

/** Whether a tracker is behind the connection, rather than a user. */
export const isTracker = (session: ClientSession): session is TrackerSession => 'tracker' in session

/**
 * The owner of client ids, connection places and time on the main thread. A tracker has its own, separate from its
 * user's, so that a thief of its token cannot take over, displace or slow down the user's connections.
 */
export const principalOf = (session: ClientSession): string =>
  isTracker(session) ? `tracker ${session.tracker.deviceId}` : session.userId
