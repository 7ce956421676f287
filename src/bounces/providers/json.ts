import { InvalidSignature } from './provider.ts'

/** Untrusted JSON. */
export type Json = Record<string, unknown>

/** @throws {InvalidSignature} if the body is not JSON, which no provider sends */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new InvalidSignature('The body is not JSON')
  }
}

/** Reads an object from an object; empty if there is none. */
export const objectIn = (of: unknown, name?: string): Json => {
  const value = name === undefined ? of : objectIn(of)[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export const listIn = (of: Json, name: string): unknown[] => (Array.isArray(of[name]) ? (of[name] as unknown[]) : [])

/** Reads a string from an object; `''` if there is none. Numbers become strings, because some IDs are numbers. */
export const textIn = (of: Json, name: string): string => {
  const value = of[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}
