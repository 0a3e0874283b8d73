import { loadAdministrationTexts } from '../state/language.ts'

const views = () => import('../administration.ts')

/** The views of administration, once their texts are there, too. */
export async function administration(): ReturnType<typeof views> {
  const [found] = await Promise.all([views(), loadAdministrationTexts()])
  return found
}
