/** French first names whose h is silent. Others, such as Hans or Hassan, keep their "de". */
const SILENT_H = /^h(?:[éèê]|ect|el[eè]|enri|erm|erv|ila|ipp|ono|ort|ubert|ugu|yac)/i
const VOWEL = /^[aeiouàâäæéèêëîïôöœùûü]|^y(?![aeiouàâäéèêëîïôöùûü])/i

/** `de Paul`, `d’Anna`: "of" before a name. */
export const ofName = (name: string): string => (VOWEL.test(name) || SILENT_H.test(name) ? `d’${name}` : `de ${name}`)
