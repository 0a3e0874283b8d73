/** A PMTiles archive, open for as long as the service runs. */
export type Basemap = {
  /** Changes with the file. */
  readonly version: string
  readonly bytes: number
  /** The most detailed zoom that it has tiles of. */
  readonly maxZoom: number
  /** Up to `length` bytes from `from` on. Rejects if the file cannot be read, or has become shorter. */
  read(from: number, length: number): Promise<Buffer>
}

/** The operator's additions to the map. */
export type MapFiles = {
  /** Huts, trails and the like as one GeoJSON FeatureCollection, as text. */
  readonly overlays: string | null
  readonly basemap: Basemap | null
}
