import { NotGenuine } from './provider.ts'

/** What somebody sent, of which nothing is certain. */
export type Json = Record<string, unknown>

/** @throws {NotGenuine} where it is no JSON: no provider sends that */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new NotGenuine('The call has no JSON')
  }
}

/** An object in an object, empty where there is none. */
export const objectIn = (of: unknown, name?: string): Json => {
  const value = name === undefined ? of : objectIn(of)[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export const listIn = (of: Json, name: string): unknown[] => (Array.isArray(of[name]) ? (of[name] as unknown[]) : [])

/** A text in an object, `''` where there is none. Numbers stand for ids, too. */
export const textIn = (of: Json, name: string): string => {
  const value = of[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}
