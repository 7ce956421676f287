import { defineError } from '../platform/api-error.ts'

export const MEDIA_NOT_FOUND = defineError('not-found', 'media_not_found', 'File not found')
export const NOT_AN_IMAGE = defineError(
  'invalid',
  'not_an_image',
  'The file is not an image that can be read. Use PNG, JPEG, GIF, WebP or SVG.',
)
export const IMAGE_TOO_LARGE = defineError(
  'invalid',
  'image_too_large',
  'The file, or the image that it becomes, is larger than 5 MB. Make it smaller.',
)
export const MEDIA_FULL = defineError(
  'taken',
  'media_full',
  'The media library has reached its limit of 1,000 MB. Delete files, or raise MEDIA_MAX_MB.',
)
export const MEDIA_IN_USE = defineError(
  'taken',
  'media_in_use',
  'The template "Welcome" uses this file. Remove it there first.',
)
export const IMAGE_UNREACHABLE = defineError(
  'invalid',
  'image_unreachable',
  'The image cannot be loaded: the server responded with 404.',
)
