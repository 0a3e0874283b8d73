// The script of the tracking page. Everything works without it: it keeps the page up to date while it is open, sends
// answers again and again on a bad line, and counts ages on. Of the browser's clock it asks only how much time passes.

const { body } = document
const page = location.pathname
const line = /** @type {HTMLElement} */ (document.getElementById('line'))
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const header = /** @type {HTMLElement} */ (document.querySelector('header'))
const SECOND = 1000
const POLL_MS = 30 * SECOND
const SILENT_MS = 40 * SECOND
const REOPEN_MS = 60 * SECOND
/** On a dead connection, nothing fails for minutes unless the page checks. */
const REQUEST_MS = 15 * SECOND
const RETRY_MS = [1, 2, 4, 8, 15].map((wait) => wait * SECOND)

let version = body.dataset.version ?? ''
/** The time of the service, and when it was that time here. */
let serverNow = Number(body.dataset.now)
let heardAt = performance.now()
/** @type {EventSource | null} */
let stream = null
/** The address of the answer on its way: the newest one, if the person changes their mind meanwhile. */
let wanted = ''
let isSending = false
/** Ends the request that sends an answer. */
let abandon = () => {}
/** How many pages have arrived: one that was asked for before the last of them is too old. */
let arrived = 0
let isPressed = false
const sayForm = /** @type {HTMLFormElement | null} */ (document.getElementById('say'))
const sayText = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('say-text'))
/** The message on its way keeps its key: sent twice, it is one. */
let sayKey = ''
/** @type {(() => void) | null} */
let waiting = null
/** @type {HTMLElement | null} */
let mapBox = null
/** @type {import('../../map/browser/map.js').SiteMap | null} */
let map = null
/** @type {{ latitude: number, longitude: number, accuracy?: number, at: string, isOld: boolean }[]} */
let trail = []

/** @param {string} text */
function say(text) {
  if (line.textContent === text && line.hidden === (text === '')) return
  line.textContent = text
  line.hidden = text === ''
}

/** @param {number} now */
function hear(now) {
  serverNow = now
  heardAt = performance.now()
  if (!isSending) say('')
}

/** @typedef {[unit: Intl.RelativeTimeFormatUnit, seconds: number, from: number]} Unit */
/** @type {Unit} */
const smallest = ['second', 1, 0]
/** @type {Unit[]} */
const units = [['day', 86400, 2 * 86400], ['hour', 3600, 2 * 3600], ['minute', 60, 60], smallest]

function countAges() {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' })
  const now = serverNow + performance.now() - heardAt
  for (const time of document.querySelectorAll('time')) {
    const age = Math.max(0, now - Date.parse(time.dateTime)) / SECOND
    const [unit, seconds] = units.find(([, , from]) => age >= from) ?? smallest
    const text = `${words.format(-Math.floor(age / seconds), unit)} ${/\(.*/.exec(time.textContent)?.[0] ?? ''}`.trim()
    if (time.textContent !== text) time.textContent = text
  }
}

/** The field is below the replaced part, so that nobody loses their text. */
function showSay() {
  if (sayForm !== null) sayForm.hidden = document.querySelector('#talk[data-write]') === null
}

/** Sends the text until it has arrived. */
async function saySend() {
  if (sayForm === null || sayText === null || sayKey !== '' || sayText.value.trim() === '') return
  sayKey = newKey()
  const said = sayText.value
  sayText.readOnly = true
  say(body.dataset.saying ?? '')
  for (let tries = 0; ; tries++) {
    try {
      const form = new URLSearchParams({ key: sayKey, text: said })
      const answer = await request(sayForm.action, { method: 'POST', body: form }).text
      if (answer !== null) {
        sayKey = ''
        sayText.value = ''
        sayText.readOnly = false
        say('')
        showDocument(answer)
        return
      }
    } catch {
      // Tried again below.
    }
    say(body.dataset.notSaid ?? '')
    await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? SECOND)
  }
}

/** Pages without TLS lack `crypto.randomUUID`. */
const newKey = () =>
  crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(36)).join('-')

function showScripted() {
  showSay()
  for (const one of document.querySelectorAll('.js')) {
    if (!one.matches('.copy') || navigator.clipboard !== undefined) one.removeAttribute('hidden')
  }
}

/** The map's contents: the last position with its age, and the way there. */
function mapContent() {
  const last = JSON.parse(mapBox?.dataset.position ?? '')
  const textContent = document.querySelector('.when time')?.textContent ?? ''
  const label = Object.assign(document.createElement('time'), { dateTime: last.at, textContent })
  if (trail.at(-1)?.at !== last.at) trail.push(last)
  return { positions: [{ ...last, label, title: mapBox?.getAttribute('aria-label') ?? '' }], trail }
}

/** Draws the map. Without it, the page has coordinates and links to other maps. */
async function loadMap() {
  const box = document.getElementById('map')
  if (box === null || mapBox !== null) return
  mapBox = box
  try {
    const [sources, texts] = [box.dataset.sources ?? '', box.dataset.texts ?? ''].map((json) => JSON.parse(json))
    trail = await request(`${page}/trail`, {}).text.then((text) => JSON.parse(text ?? '').positions)
    const { mount } = await import(sources.script)
    map = await mount(box, { sources, texts, language: document.documentElement.lang, ...mapContent() })
  } catch {
    map = mapBox = null
    box.hidden = true
  }
}

/** Lets a map that is there go on in the newer page, and waits for one that is not to come near the view. */
function placeMap() {
  const place = document.getElementById('map')
  if (mapBox === null) {
    if (place !== null) near?.observe(place)
    return
  }
  if (place === null) {
    map?.remove()
    map = mapBox = null
    return
  }
  mapBox.dataset.position = place.dataset.position ?? ''
  place.replaceWith(mapBox)
  map?.update(mapContent())
}

const near =
  globalThis.IntersectionObserver &&
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && loadMap(), { rootMargin: '300px' })

/**
 * Takes over a newer page. Not under a finger: a pressed button must not move. The focus and unfolded parts stay.
 * @param {{ version: string, title: string, look: string, header: string, main: string }} parts
 */
function show(parts) {
  if (isPressed) {
    waiting = () => show(parts)
    return
  }
  version = parts.version
  document.title = parts.title
  header.className = parts.look
  const live = /** @type {HTMLElement} */ (header.firstElementChild)
  if (live.innerHTML !== parts.header) live.innerHTML = parts.header
  const unfolded = [...main.querySelectorAll('details[open]')].map(({ id }) => id)
  const focused = document.activeElement
  const id = main.contains(focused) ? focused?.id || null : null
  const href = main.contains(focused) ? (focused?.getAttribute('href') ?? null) : null
  main.innerHTML = parts.main
  placeMap()
  for (const one of unfolded) document.getElementById(one)?.setAttribute('open', '')
  const same =
    id === null
      ? [...main.querySelectorAll('a')].find((a) => a.getAttribute('href') === href)
      : document.getElementById(id)
  if (focused instanceof HTMLElement && mapBox?.contains(focused)) focused.focus({ preventScroll: true })
  else if (same instanceof HTMLElement && (id !== null || href !== null)) same.focus({ preventScroll: true })
  showScripted()
  countAges()
}

/**
 * A whole page as an answer.
 * @param {string} text
 */
function showDocument(text) {
  const found = new DOMParser().parseFromString(text, 'text/html')
  const { dataset } = found.body
  arrived++
  show({
    version: dataset.version ?? '',
    title: found.title,
    look: found.querySelector('header')?.className ?? '',
    header: found.querySelector('header')?.firstElementChild?.innerHTML ?? '',
    main: found.querySelector('main')?.innerHTML ?? '',
  })
  if (dataset.now !== undefined) hear(Number(dataset.now))
  else end()
}

/** The incident or the link has ended: nothing more will change. */
function end() {
  stream?.close()
  stream = null
  clearInterval(poll)
  clearInterval(reopen)
  sayForm?.remove()
  say('')
}

/**
 * The text of an answer; null where the service asks to try again, because it cannot or because of too many requests.
 * @param {string} address
 * @param {RequestInit} init
 */
function request(address, init) {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), REQUEST_MS)
  const text = fetch(address, { ...init, signal: ending.signal })
    .then(async (answer) => (answer.status < 429 ? await answer.text() : null))
    .finally(() => clearTimeout(timer))
  return { text, abort: () => ending.abort() }
}

async function load() {
  const before = arrived
  try {
    const text = await request(page, { cache: 'no-store' }).text
    if (text !== null && arrived === before) showDocument(text)
  } catch {
    // The line says so once nothing has been heard for long enough.
  }
}

function open() {
  if (stream !== null && stream.readyState !== EventSource.CLOSED) return
  stream = new EventSource(`${page}/events?version=${encodeURIComponent(version)}`)
  stream.addEventListener('page', ({ data }) => {
    const parts = JSON.parse(data)
    arrived++
    show(parts)
    hear(parts.now)
  })
  stream.addEventListener('beat', ({ data }) => {
    const { now, asOf } = JSON.parse(data)
    hear(now)
    const shown = document.getElementById('as-of')
    if (shown !== null) shown.textContent = asOf
  })
  // Too many pages of this link are open: this one asks every 30 s, and later again for a stream.
  stream.addEventListener('full', () => {
    stream?.close()
    stream = null
  })
  stream.addEventListener('over', () => {
    end()
    load()
  })
}

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Sends an answer until it has arrived. To send one twice changes nothing.
 * @param {string} address
 */
async function send(address) {
  wanted = address
  if (isSending) {
    abandon()
    return
  }
  isSending = true
  body.classList.add('sending')
  say(body.dataset.sending ?? '')
  for (let tries = 0; ; tries++) {
    const sent = wanted
    try {
      const { text, abort } = request(sent, { method: 'POST' })
      abandon = abort
      const answer = await text
      if (answer !== null && sent === wanted) {
        isSending = false
        body.classList.remove('sending')
        say('')
        document.getElementById('answers')?.removeAttribute('open')
        showDocument(answer)
        return
      }
    } catch {
      // Tried again below.
    }
    if (sent !== wanted) continue
    say(body.dataset.notSent ?? '')
    await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? SECOND)
  }
}

document.addEventListener('submit', (event) => {
  if (event.target === sayForm) {
    event.preventDefault()
    saySend()
    return
  }
  const { submitter } = event
  if (!(submitter instanceof HTMLButtonElement)) return
  event.preventDefault()
  // Not `formAction` alone: without the attribute some browsers give the address of the page.
  send(submitter.hasAttribute('formaction') ? submitter.formAction : (submitter.form?.action ?? page))
})

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement) || target.dataset.copy === undefined) return
  navigator.clipboard.writeText(target.dataset.copy).then(() => say(target.dataset.done ?? ''))
})

const release = () => {
  isPressed = false
  // After the click that the release means.
  setTimeout(() => {
    const next = waiting
    waiting = null
    if (!isPressed) next?.()
  })
}
document.addEventListener('pointerdown', () => {
  isPressed = true
})
document.addEventListener('pointerup', release)
document.addEventListener('pointercancel', release)

// A phone that slept may have missed anything, and its timers have stood still.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    load()
    open()
  }
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) {
    load()
    open()
  }
})

setInterval(countAges, 10 * SECOND)
const poll = setInterval(() => {
  if (performance.now() - heardAt > POLL_MS && !isSending) load()
}, 10 * SECOND)
const reopen = setInterval(open, REOPEN_MS)
setInterval(() => {
  const isSilent = performance.now() - heardAt > SILENT_MS && body.dataset.version !== undefined
  if (isSilent && !isSending && stream !== null) say(body.dataset.cutOff ?? '')
}, 5 * SECOND)
showScripted()
placeMap()
open()
// Last, so that a browser in which anything above fails keeps reloading.
clearTimeout(/** @type {{ reloading?: number }} */ (globalThis).reloading)
