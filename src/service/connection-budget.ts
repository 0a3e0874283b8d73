/** How many connections may be open at once, in total. */
export type ConnectionBudget = {
  readonly http: number
  /** Over TCP, TLS and WebSocket. */
  readonly mqtt: number
}

/**
 * Sites that need more run on more machines; without an end the shares would mean nothing where the
 * system sets no limit.
 */
const MAX_DESCRIPTORS = 1_048_576
/** The database, files, threads, and the connections to providers, chats and webhooks. */
const OWN = { share: 1 / 8, min: 64, max: 1024 }
const HTTP_SHARE = 1 / 3

/** As many requests to providers are part of `OWN`. */
const OWN_REQUESTS = 100

/**
 * Shares `limit` file descriptors out, so that no kind of connection can take what another one needs: some are set
 * aside for the service's own files and sending; of the rest a third is for HTTP, whose connections are short, and two
 * thirds are for MQTT. `requestsAtOnce`: those that a provider may have in flight.
 */
export function connectionBudget(limit: number, requestsAtOnce = OWN_REQUESTS): ConnectionBudget {
  const descriptors = Math.min(limit, MAX_DESCRIPTORS)
  const usual = Math.min(Math.max(Math.floor(descriptors * OWN.share), OWN.min), OWN.max)
  const own = usual + Math.max(0, requestsAtOnce - OWN_REQUESTS)
  const shared = Math.max(descriptors - own, 2)
  const http = Math.max(Math.floor(shared * HTTP_SHARE), 1)
  return { http, mqtt: shared - http }
}
