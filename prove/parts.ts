import { docsYaml } from './attacks/docs-yaml.ts'
import type { Part } from './part.ts'
import { quiet } from './parts/quiet.ts'

/** In the order in which they run and stand in the table. */
export const parts: readonly Part[] = [quiet, docsYaml]
