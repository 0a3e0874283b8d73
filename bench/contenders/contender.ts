/** What the runtime takes by itself: it keeps nothing and checks nothing, so no aim is measured by it. */
export const BARE_NODE = 'bare Node'

/** A broker under load, running as a separate process. */
export type Contender = {
  readonly name: string
  /** What its acknowledgement guarantees. */
  readonly note: string
  /** Plain MQTT on 127.0.0.1. */
  readonly port: number
  readonly pid: number
}
