import { z } from 'zod'

/** The program that answers. `example`: for the documents. */
export const releaseShape = {
  version: z.string(),
  commit: z.string().nullable().meta({ description: 'what the version was built from; null in a checkout' }),
  schema: z.int().meta({ description: 'the newest schema of the store that the version knows' }),
}

export const exampleRelease = { version: '0.2.0', commit: '1a2b3c4d5e6f', schema: 40 }
