/** The most incidents taken from the queue at a time, because one with nothing left to send causes no call. */
const CALLED_AT_ONCE = 3

/** The state of one network server. `line`: incidents that wait for it. */
type Lane = { isBusy: boolean; readonly line: Set<string> }

/** One thing at a time at each network server. */
export function serverLanes() {
  const lanes = new Map<string, Lane>()
  return {
    /** Takes the server for this incident. False if it is busy: the incident then waits in line. */
    take(server: string, incidentId: string): boolean {
      const lane = lanes.get(server) ?? { isBusy: false, line: new Set() }
      lanes.set(server, lane)
      if (lane.isBusy) lane.line.add(incidentId)
      else lane.line.delete(incidentId)
      const isTaken = !lane.isBusy
      lane.isBusy = true
      return isTaken
    },

    /** Frees the server. Returns the incidents whose turn it is. */
    free(server: string): readonly string[] {
      const lane = lanes.get(server)
      if (lane === undefined) return []
      lane.isBusy = false
      const next = [...lane.line].slice(0, CALLED_AT_ONCE)
      for (const incidentId of next) lane.line.delete(incidentId)
      return next
    },
  }
}
