/**
 * What decisions.md says of presses that no hand makes, written without the code: for one user, whose presses come
 * from the app or from a tracker. rules.md#put-off.
 */
type Press = { readonly at: number; readonly from: string }
export type Outcome = 'opened' | 'updated' | 'put_off'

const RUN = 20
const GAP_S = 15
const PUT_OFF_S = [15 * 60, 30 * 60, 60 * 60]

export class PutOffModel {
  #isOpen = false
  #endedBy: 'operator' | 'user' = 'user'
  #until: number | null = null
  #times = 0
  /** Of one device each, whatever the names of their fields. */
  readonly #presses = new Map<string, Press[]>()

  /** `names`: of the fields that it has. Values do not count. */
  press(at: number, device: string, names: string): Outcome {
    const earlier = this.#presses.get(device) ?? []
    const isOn = this.#isRun([...earlier.slice(1 - RUN), { at, from: names }])
    this.#presses.set(device, [...earlier, { at, from: names }])
    if (this.#isOpen) return 'updated'
    if (isOn && this.#endedBy === 'operator') {
      if (this.#until === null) {
        this.#until = at + PUT_OFF_S[Math.min(this.#times, PUT_OFF_S.length - 1)]!
        this.#times += 1
        return 'put_off'
      }
      if (at < this.#until) return 'put_off'
    }
    if (!isOn) this.#times = 0
    this.#until = null
    this.#isOpen = true
    return 'opened'
  }

  operatorEnds(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#endedBy = 'operator'
  }

  /** The work of a hand: no press before it is of a run. */
  userEnds(): void {
    if (!this.#isOpen && this.#until === null) return
    if (this.#isOpen) this.#endedBy = 'user'
    this.#isOpen = false
    this.#until = null
    this.#presses.clear()
  }

  #isRun(presses: readonly Press[]): boolean {
    return (
      presses.length === RUN &&
      presses.every(({ at, from }, k) => k === 0 || (at - presses[k - 1]!.at <= GAP_S && from === presses[k - 1]!.from))
    )
  }
}
