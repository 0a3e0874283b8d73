const COUNTRY_CODE = /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** A number in the groups in which it is read out: the country code, then threes. Whole, if it is in no such form. */
export function digitGroups(number: string): readonly string[] {
  const [code] = COUNTRY_CODE.exec(number) ?? []
  const groups = code === undefined ? null : number.slice(code.length).match(/\d{3}(?=\d{2})|\d+/g)
  return code === undefined || groups === null || groups.join('') !== number.slice(code.length)
    ? [number]
    : [code, ...groups]
}
