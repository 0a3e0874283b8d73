/** A file of the console as it is served. `gzipped`: the same, compressed; null: it is compressed already. */
export type ConsoleFile = { readonly type: string; readonly bytes: Buffer; readonly gzipped: Buffer | null }

/** The built console: its page, and by their hashed names the files that the page loads. */
export type BuiltConsole = { readonly page: ConsoleFile; readonly assets: ReadonlyMap<string, ConsoleFile> }

/** Resolves to null while the console has not been built. */
export type ConsoleFiles = () => Promise<BuiltConsole | null>
