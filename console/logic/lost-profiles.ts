type Model = { readonly model: string; readonly profile: 'shipped' | 'own' | null; readonly trackers: number }

/**
 * The profiles that registered trackers use and that `typed` (YAML) no longer has. `typed`: undefined while nothing has
 * been typed; null to go back to the shipped ones.
 */
export function lostProfiles(typed: string | null | undefined, models: readonly Model[]): readonly Model[] {
  if (typed === undefined) return []
  const stands = (name: string): boolean => {
    const literal = name.replace(/[^\w]/g, '\\$&')
    return new RegExp(`(?:^|[\\s{,'"])${literal}['"]?\\s*:`, 'im').test(typed ?? '')
  }
  return models.filter(({ model, profile, trackers }) => profile === 'own' && trackers > 0 && !stands(model.trim()))
}
