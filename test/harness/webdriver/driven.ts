import { writeFileSync } from 'node:fs'
import { until } from '../wait.ts'
import type { Driver } from './driver.ts'

/** The names that a screen reader would say, near enough, of what can be seen and used. In the page. */
const FINDING = `
  const fits = (text, wanted) => {
    const whole = text.replace(/\\s+/g, ' ').trim()
    return wanted.source === undefined ? whole === wanted.text : new RegExp(wanted.source).test(whole)
  }
  const shows = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0
  const top = document.querySelector('dialog[open]') ?? document
  const controls = () => [...top.querySelectorAll('button, a[href], summary')].filter((one) => shows(one) && !one.disabled)
  const fields = () => [...top.querySelectorAll('input, textarea, select')].filter(shows)
  const nameOf = (one) => one.getAttribute('aria-label') ?? one.textContent
  const labelOf = (one) => one.getAttribute('aria-label') ?? [...(one.labels ?? [])].map((label) => label.textContent).join(' ')
  const place = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect()
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
  }
  /** Where a finger reaches it once it stands still, or null. */
  const reached = async (one) => {
    if (one === undefined) return null
    one.scrollIntoView({ block: 'center', behavior: 'instant' })
    const before = place(one)
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    const at = place(one)
    const there = document.elementFromPoint(at.x, at.y)
    const isStill = one.isConnected && at.x === before.x && at.y === before.y
    return isStill && there !== null && (one.contains(there) || there.contains(one)) ? at : null
  }
`

type Point = { readonly x: number; readonly y: number }

/** A page in Firefox or WebKitGTK, which is used by mouse and keyboard like a person does. */
export class Driven {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  get trouble(): readonly string[] {
    return this.#driver.trouble
  }

  open(url: string): Promise<unknown> {
    return this.#driver.navigate(url)
  }

  resize(width: number, height: number): Promise<unknown> {
    return this.#driver.resize(width, height)
  }

  async evaluate<T>(expression: string): Promise<T> {
    return JSON.parse(await this.#driver.evaluate(expression))
  }

  /** Waits until the page shows the text. */
  async seen(text: string | RegExp): Promise<void> {
    const wanted = JSON.stringify(wantedOf(text))
    const look = `document.body !== null && ((wanted) => {
      const shown = document.body.innerText.replace(/\\s+/g, ' ')
      return wanted.source === undefined ? shown.includes(wanted.text) : new RegExp(wanted.source).test(shown)
    })(${wanted})`
    await this.#until(`the page shows ${text}`, () => this.evaluate<boolean>(look))
  }

  /** Clicks the button or link with the name. */
  async press(name: string | RegExp): Promise<void> {
    const at = await this.#find(`a button or link ${name}`, `controls().find((one) => fits(nameOf(one), wanted))`, name)
    await this.#mouse([move(at), DOWN, UP])
  }

  /** Holds the mouse down on the button until `meanwhile` is over. */
  async hold(name: string | RegExp, meanwhile: () => Promise<unknown>): Promise<void> {
    const at = await this.#find(`a button ${name}`, `controls().find((one) => fits(nameOf(one), wanted))`, name)
    await this.#mouse([move(at), DOWN])
    await meanwhile()
    await this.#mouse([UP])
  }

  /** Types into the field with the label, in the place of what is there. */
  async type(label: string | RegExp, text: string): Promise<void> {
    const found = 'fields().find((one) => fits(labelOf(one), wanted))'
    const at = await this.#find(`a field ${label}`, found, label)
    await this.#mouse([move(at), DOWN, UP])
    // What keys a time takes depends on the browser's language, and on a window that has the focus.
    const isTime = await this.evaluate<boolean>(`(({ activeElement: field }) => {
      if (field.type !== 'time') return (field.select?.(), false)
      field.value = ${JSON.stringify(text)}
      return field.dispatchEvent(new Event('input', { bubbles: true }))
    })(document)`)
    if (isTime) return
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await this.#driver.act([{ type: 'key', id: 'keyboard', actions }])
  }

  async screenshot(file: string): Promise<void> {
    writeFileSync(file, Buffer.from(await this.#driver.screenshot(), 'base64'))
  }

  close(): Promise<unknown> {
    return this.#driver.close()
  }

  #find(what: string, expression: string, wanted: string | RegExp): Promise<Point> {
    const look = `(async (wanted) => { ${FINDING} return reached(${expression}) })(${JSON.stringify(wantedOf(wanted))})`
    return this.#until(what, () => this.evaluate<Point | null>(look))
  }

  /** A failure says what the page showed in its place. */
  async #until<T>(what: string, look: () => Promise<T | null | false>): Promise<T> {
    try {
      // A page that is being left answers nothing.
      return await until(what, () => look().catch(() => null))
    } catch (cause) {
      const shown = await this.evaluate<string>('document.body?.innerText').catch(String)
      throw new Error(`${what}: waited in vain; ${[...this.trouble].join('; ')}; the page shows: ${shown}`, { cause })
    }
  }

  #mouse(actions: readonly object[]): Promise<unknown> {
    return this.#driver.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }])
  }
}

const DOWN = { type: 'pointerDown', button: 0 }
const UP = { type: 'pointerUp', button: 0 }
const move = ({ x, y }: Point) => ({ type: 'pointerMove', x, y })

const wantedOf = (text: string | RegExp) => (typeof text === 'string' ? { text } : { source: text.source })
