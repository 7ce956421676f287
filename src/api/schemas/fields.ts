import { mixed, string } from 'yup'

/** A JSON object with keys of the caller's choice. */
export const freeObject = () =>
  mixed<Record<string, unknown>>().test({
    name: 'object',
    message: ({ path }) => `${path} must be a JSON object`,
    test: (value) => value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  })

/** A text that says something: not empty, and not only white space. */
export const filledString = () =>
  string().test({
    name: 'filled',
    message: ({ path }) => `${path} must not be empty`,
    test: (value) => value === undefined || value === null || value.trim() !== '',
  })
