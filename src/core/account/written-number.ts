/**
 * A phone number as people write it, without what stands between its digits: spaces, brackets, dashes, 00 before the
 * country. A zero in brackets is dialled only within the country, except in Italy and the states that share its plan.
 */
export function numberAsWritten(text: string): string {
  const dialled = text.replace(/[\s./\p{Pd}\p{Cf}]/gu, '').replace(/^\(?(?:\+|00)\(?(\d{1,3})\)?/, '+$1')
  return dialled.replace('(0)', /^\+3(9|78)/.test(dialled) ? '0' : '').replace(/[()]/g, '')
}
