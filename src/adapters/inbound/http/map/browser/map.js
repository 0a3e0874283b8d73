// The map of tracking pages and of the console, drawn by Leaflet. It needs no other host: a world outline is always
// there, with whatever the operator adds. It never asks where its reader is.

/** @import * as Leaflet from 'leaflet' */

/**
 * The parts of the map, as site-map.ts gives them.
 * @typedef {object} MapSources
 * @property {string} script
 * @property {string} leaflet
 * @property {string} style
 * @property {string} outline
 * @property {string | null} overlays
 * @property {{ script: string, archive: string, maxZoom: number } | null} basemap
 * @property {string | null} tiles
 * @property {string | null} attribution  plain text
 */

/**
 * @typedef {object} Place
 * @property {number} latitude
 * @property {number} longitude
 * @property {number | null | undefined} [accuracy]  metres
 */

/**
 * @typedef {object} MapPosition
 * @property {string} [id]  the same from update to update
 * @property {number} latitude
 * @property {number} longitude
 * @property {number | null | undefined} [accuracy]  metres
 * @property {string | HTMLElement | null} [label]  stands at the pin, such as its age; text is escaped
 * @property {string} [title]  the name of the pin for screen readers
 * @property {'alarm' | 'busy' | 'good' | 'over'} [look]
 * @property {boolean} [isOld]
 * @property {boolean} [isInvented]  nobody is there: a pin of another shape
 * @property {string} [text]  stands in the pin: its number in a list, or that of the pins that it stands for
 * @property {readonly string[]} [ids]  of the pins that it stands for
 * @property {number} [expands]  the zoom at which it falls apart into these
 */

/**
 * @typedef {object} MapContent
 * @property {readonly MapPosition[]} positions
 * @property {readonly Place[]} [trail]  oldest first
 */

/**
 * @typedef {object} MapOptions
 * @property {MapSources} sources
 * @property {string} [language]  BCP 47
 * @property {{ zoomIn: string, zoomOut: string }} [texts]
 * @property {(id: string) => void} [onSelect]  A pin was clicked. The keyboard does not reach pins: list them, too.
 * @property {(ids: readonly string[]) => void} [onPoint]  The pointer is at a pin, or at none.
 * @property {(positions: readonly MapPosition[], zoom: number) => readonly MapPosition[]} [gather]  Puts pins that
 *   would cover each other into one, at each zoom.
 * @property {boolean} [isStill]  The view moves only when somebody asks, and comes as close as all pins allow.
 * @property {boolean} [isFollowing]  The view always holds all pins, as close as they allow: nobody can ask.
 */

/**
 * @typedef {object} SiteMap
 * @property {(content: MapContent) => void} update
 * @property {(id: string | null) => void} light  Lets one pin stand out, or the one that it is gathered in.
 * @property {() => void} fit  Shows all pins.
 * @property {() => readonly [south: number, west: number, north: number, east: number]} area  What is in view.
 * @property {() => void} remove
 */

/** How close the first view comes, by the most detailed thing there is to see. */
const CLOSE = { tiles: 14, overlays: 13, outline: 7 }
/** The same for a view of several pins that is there to tell them apart. */
const APART = 14
const MAX_ZOOM = 18
/** A map of the world's outline and everything in it. */
const WORLD = /** @type {const} */ ([
  [-60, -170],
  [75, 170],
])

/** @type {Map<string, Promise<void>>} */
const loading = new Map()

/**
 * Once for each address; after a failure it is tried again.
 * @param {HTMLScriptElement | HTMLLinkElement} element
 * @param {string} address
 */
function load(element, address) {
  const known = loading.get(address)
  if (known !== undefined) return known
  const loaded = new Promise((resolve, reject) => {
    element.onload = () => resolve(undefined)
    element.onerror = () => {
      loading.delete(address)
      element.remove()
      reject(new Error(`${address} could not be loaded`))
    }
    document.head.append(element)
  })
  loading.set(address, loaded)
  return loaded
}

/** @param {string} src */
const script = (src) => load(Object.assign(document.createElement('script'), { src }), src)
/** @param {string} href */
const style = (href) => load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }), href)

/** @param {string} address */
async function json(address) {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address} could not be loaded`)
  return answer.json()
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/**
 * The points of a line of the outline: config/world-outline.txt.
 * @param {readonly number[]} line
 * @param {number} units
 */
function pointsOf(line, units) {
  /** @type {[number, number][]} */
  const points = []
  let [x, y] = [0, 0]
  for (let at = 0; at < line.length; at += 2) {
    x += line[at] ?? 0
    y += line[at + 1] ?? 0
    points.push([y / units, x / units])
  }
  return points
}

/**
 * Land and borders, below everything else.
 * @param {typeof Leaflet} L
 * @param {{ unitsPerDegree: number, land: number[][][], borders: number[][] }} outline
 */
function outlineOf(L, { unitsPerDegree, land, borders }) {
  const options = { pane: 'outline', interactive: false }
  return L.layerGroup([
    L.polygon(
      land.map((rings) => rings.map((ring) => pointsOf(ring, unitsPerDegree))),
      { ...options, className: 'map-land' },
    ),
    L.polyline(
      borders.map((line) => pointsOf(line, unitsPerDegree)),
      { ...options, className: 'map-border' },
    ),
  ])
}

/**
 * Huts, trails and helipads. Names stand beside points.
 * @param {typeof Leaflet} L
 * @param {any} features
 */
function overlaysOf(L, features) {
  return L.geoJSON(features, {
    interactive: false,
    style: (feature) => ({ className: `map-overlay${/Polygon/.test(feature?.geometry.type ?? '') ? ' area' : ''}` }),
    pointToLayer: ({ properties }, at) => {
      const point = L.circleMarker(at, { radius: 4, className: 'map-overlay-point', interactive: false })
      const { name } = properties
      if (!name) return point
      return point.bindTooltip(escaped(name), { permanent: true, direction: 'right', className: 'map-name' })
    },
  })
}

/**
 * @param {typeof Leaflet} L
 * @param {Leaflet.Map} map
 * @param {MapOptions} options
 */
async function drawGround(L, map, { sources, language = 'en' }) {
  const { basemap, tiles, overlays, outline } = sources
  const layers = [json(outline).then((found) => outlineOf(L, found).addTo(map))]
  if (overlays !== null) layers.push(json(overlays).then((found) => overlaysOf(L, found).addTo(map)))
  if (basemap !== null) {
    layers.push(
      script(basemap.script).then(() => {
        const { leafletLayer } = /** @type {any} */ (globalThis).protomapsL
        const flavor = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
        const lang = language.slice(0, 2)
        const { archive, maxZoom } = basemap
        const layer = leafletLayer({ url: archive, flavor, lang, maxDataZoom: maxZoom, attribution: '' })
        // The outline shows where the archive has nothing.
        layer.backgroundColor = undefined
        return layer.addTo(map)
      }),
    )
  }
  if (tiles !== null) L.tileLayer(tiles, { maxZoom: MAX_ZOOM, referrerPolicy: 'no-referrer' }).addTo(map)
  // A part that cannot be loaded is missing; the rest still helps.
  await Promise.allSettled(layers)
}

/** @param {MapSources} sources */
function attributionOf({ attribution, basemap }) {
  const osm =
    '<a href="https://www.openstreetmap.org/copyright" rel="noreferrer noopener" target="_blank">© OpenStreetMap</a>'
  return [...(basemap === null ? [] : [osm]), ...(attribution === null ? [] : [escaped(attribution)]), 'Natural Earth']
}

/**
 * @param {MapPosition} a
 * @param {MapPosition} b
 */
function isAlike(a, b) {
  const names = /** @type {(keyof MapPosition)[]} */ (Object.keys({ ...a, ...b }))
  const isOfOneKind = (a.text === undefined) === (b.text === undefined)
  return isOfOneKind && names.every((name) => a[name] === b[name] || IN_PLACE.has(name))
}

/**
 * The fields of a pin that change without a new pin: its words and its target. One more alarm in a list gives each of
 * the others another number.
 * @type {ReadonlySet<keyof MapPosition>}
 */
const IN_PLACE = new Set(['text', 'title', 'ids', 'expands'])

/**
 * Draws a map into `element`, which has a height of its own, and keeps it up to date. Rejects if Leaflet cannot be
 * loaded. Later updates move the view only if a single pin would leave it.
 * @param {HTMLElement} element
 * @param {MapOptions & MapContent} options
 * @returns {Promise<SiteMap>}
 */
export async function mount(element, options) {
  const { sources, texts = { zoomIn: 'Zoom in', zoomOut: 'Zoom out' }, onSelect, onPoint, gather } = options
  const { isStill = false, isFollowing = false } = options
  await Promise.all([style(sources.style), script(sources.leaflet)])
  /** @type {typeof Leaflet} */
  const L = /** @type {any} */ (globalThis).L
  const map = L.map(element, { zoomControl: false, attributionControl: false, maxZoom: MAX_ZOOM, worldCopyJump: true })
  element.classList.add('site-map')
  map.createPane('outline').style.zIndex = '150'
  const { zoomIn, zoomOut } = texts
  L.control.zoom({ zoomInTitle: zoomIn, zoomOutTitle: zoomOut }).addTo(map)
  L.control.scale({ imperial: false }).addTo(map)
  const credits = L.control.attribution({ prefix: false }).addTo(map)
  for (const credit of attributionOf(sources)) credits.addAttribution(credit)

  const trail = L.layerGroup().addTo(map)
  const pins = L.layerGroup().addTo(map)
  // As large as the letters in them, which grow with the page.
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
  const closest =
    sources.tiles !== null || sources.basemap !== null ? 'tiles' : sources.overlays !== null ? 'overlays' : 'outline'

  /** @param {MapPosition} position */
  function pinOf({ id, ids, text: inside, ...position }) {
    const { latitude, longitude, accuracy, label, title = '', look = 'alarm', isOld, isInvented } = position
    const at = L.latLng(latitude, longitude)
    const isButton = id !== undefined && onSelect !== undefined
    const size = scale * (ids !== undefined ? 34 : inside === undefined ? 22 : 26)
    const kinds = [look, isOld && 'old', isInvented && 'invented', ids && 'many', inside !== undefined && 'numbered']
    const icon = L.divIcon({
      className: `map-pin ${kinds.filter(Boolean).join(' ')}`,
      iconSize: [size, size],
      html: inside === undefined ? '' : escaped(inside),
    })
    const pin = L.marker(at, { icon, title, alt: title, keyboard: false, interactive: isButton })
    /** As it is now. */
    const known = () => (id === undefined ? undefined : drawn.get(id)?.position)
    if (isButton) {
      pin.on('click', () => {
        const { expands } = known() ?? {}
        if (expands === undefined) onSelect(id)
        else map.setView(at, expands)
      })
    }
    if (onPoint !== undefined && id !== undefined) {
      pin.on('mouseover', () => onPoint(known()?.ids ?? [id]))
      pin.on('mouseout', () => onPoint([]))
    }
    const text = typeof label === 'string' ? escaped(label) : label
    if (text)
      pin.bindTooltip(text, { permanent: true, direction: 'top', offset: [0, -12 * scale], className: 'map-label' })
    const circle = accuracy && L.circle(at, { radius: accuracy, className: `map-accuracy ${look}`, interactive: false })
    return circle ? [circle, pin] : [pin]
  }

  /** @type {string | undefined} */
  let track
  /** Drawn, by id or place. @type {Map<string | number, { position: MapPosition, layers: Leaflet.Layer[] }>} */
  const drawn = new Map()
  /** @type {MapContent} */
  let newest = options
  /** @type {string | null} */
  let lit = null

  function lightUp() {
    for (const { position, layers } of drawn.values()) {
      const isLit = lit !== null && (position.id === lit || position.ids?.includes(lit) === true)
      for (const layer of layers) {
        if (!(layer instanceof L.Marker)) continue
        layer.getElement()?.classList.toggle('lit', isLit)
        layer.setZIndexOffset(isLit ? 10_000 : 0)
      }
    }
  }

  /**
   * @param {{ layers: Leaflet.Layer[] }} known
   * @param {MapPosition} position
   */
  function retell({ layers }, { text = '', title = '' }) {
    for (const layer of layers) {
      const element = layer instanceof L.Marker ? layer.getElement() : undefined
      if (element === undefined) continue
      element.textContent = text
      element.title = title
    }
  }

  /**
   * Draws the differences. Returns whether there are any.
   * @param {MapContent} content
   */
  function draw({ positions: all, trail: places = [] }) {
    const isMoved = drawTrail(places)
    const positions = gather === undefined ? all : gather(all, Math.round(map.getZoom()))
    const gone = new Set(drawn.keys())
    let isChanged = false
    for (const [n, position] of positions.entries()) {
      const key = position.id ?? n
      gone.delete(key)
      const known = drawn.get(key)
      if (known !== undefined && isAlike(known.position, position)) {
        if (known.position.text !== position.text || known.position.title !== position.title) retell(known, position)
        known.position = position
        continue
      }
      for (const layer of known?.layers ?? []) pins.removeLayer(layer)
      const layers = pinOf(position)
      for (const layer of layers) pins.addLayer(layer)
      drawn.set(key, { position, layers })
      isChanged = true
    }
    for (const key of gone) {
      for (const layer of drawn.get(key)?.layers ?? []) pins.removeLayer(layer)
      drawn.delete(key)
    }
    if (lit !== null) lightUp()
    return isMoved || isChanged || gone.size > 0
  }

  /** @param {readonly Place[]} places */
  function drawTrail(places) {
    const next = JSON.stringify(places)
    if (next === track) return false
    track = next
    trail.clearLayers()
    const points = places.map(({ latitude, longitude }) => L.latLng(latitude, longitude))
    if (points.length > 1) trail.addLayer(L.polyline(points, { className: 'map-trail', interactive: false }))
    for (const point of points.slice(0, -1)) {
      trail.addLayer(L.circleMarker(point, { radius: 2.5, className: 'map-trail-point', interactive: false }))
    }
    return true
  }

  /** @param {MapContent} content */
  function show({ positions, trail: track = [] }) {
    const bounds = L.latLngBounds([])
    for (const { latitude, longitude, accuracy } of [...positions, ...track]) {
      bounds.extend(L.latLng(latitude, longitude).toBounds(2 * (accuracy ?? 0)))
    }
    const maxZoom = (isStill || isFollowing) && positions.length > 1 ? Math.max(APART, CLOSE[closest]) : CLOSE[closest]
    if (bounds.isValid()) map.fitBounds(bounds, { maxZoom, padding: [28, 40], animate: false })
    else map.fitBounds(/** @type {any} */ (WORLD), { animate: false })
  }

  show(options)
  draw(options)
  if (gather !== undefined) map.on('zoomend', () => draw(newest))
  void drawGround(L, map, options)
  const resized = new ResizeObserver(() => map.invalidateSize({ animate: false }))
  resized.observe(element)
  return {
    update(content) {
      newest = content
      if (!draw(content) || isStill) return
      if (isFollowing) return show(content)
      const [only, ...others] = content.positions
      if (only !== undefined && others.length === 0)
        map.panInside([only.latitude, only.longitude], { padding: [40, 40] })
    },
    light(id) {
      lit = id
      lightUp()
    },
    fit: () => show(newest),
    area() {
      const bounds = map.getBounds()
      return [bounds.getSouth(), bounds.getWest(), bounds.getNorth(), bounds.getEast()]
    },
    remove() {
      resized.disconnect()
      map.remove()
      // Leaflet speaks of a window that changed 200 ms ago, also to parts of a map that is gone.
      clearTimeout(/** @type {any} */ (map)._sizeTimer)
      map.off()
      element.classList.remove('site-map')
    },
  }
}
