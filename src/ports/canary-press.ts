/** How far a press got that was not acknowledged: no connection, no CONNACK that admits, no PUBACK that takes it. */
export type FailedPress = { readonly failed: 'connect' | 'login' | 'puback'; readonly error: string }

/**
 * Publishes `payload` on `topic` with QoS 1, as a client that logs in at the service's own MQTT listener. Null: it was
 * acknowledged. Never rejects, and ends within half a minute, or at once with `signal`.
 */
export type CanaryPress = (
  press: {
    readonly username: string
    readonly password: string
    readonly topic: string
    readonly payload: string
  },
  signal: AbortSignal,
) => Promise<FailedPress | null>
