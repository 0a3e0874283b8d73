import { changedKeys, type SettingChange } from '../../core/operator/site-setting.ts'

/** A guarded change, as every administrator hears of it. */
export type SetupNews = Pick<SettingChange, 'id' | 'at' | 'author' | 'section'> & { readonly keys: readonly string[] }

const MAX_NEWS = 100

export const newsOf = ({ id, at, author, section, ...values }: SettingChange): SetupNews => ({
  ...{ id, at, author, section },
  keys: changedKeys(values),
})

/** The guarded ones of `changes`, in their order. */
export const guardedNews = (
  changes: readonly SettingChange[],
  isGuarded: (keys: readonly string[]) => boolean,
): readonly Omit<SetupNews, 'keys'>[] =>
  changes
    .map(newsOf)
    .filter(({ keys }) => isGuarded(keys))
    .slice(0, MAX_NEWS)
    .map(({ keys: _, ...news }) => news)
