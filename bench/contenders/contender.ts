/** A broker that takes the load, running as a process of its own. */
export type Contender = {
  readonly name: string
  /** What its acknowledgement means. */
  readonly note: string
  /** Plain MQTT on 127.0.0.1. */
  readonly port: number
  readonly pid: number
}
