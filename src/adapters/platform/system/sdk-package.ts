import { readFile } from 'node:fs/promises'
import { fileOf, isBuilt } from '../../../lib/installation.ts'

/** The SDK for apps, as the build has packed it. Null: this checkout has not been built. */
export const sdkPackage = (): Promise<Buffer | null> =>
  readFile(fileOf(isBuilt ? 'sdk.tgz' : 'dist/sdk.tgz')).catch(() => null)
