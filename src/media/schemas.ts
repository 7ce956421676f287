import { object } from 'yup'
import { atMost, filledText, MAX_NAME_LENGTH, pageQuery, text } from '../http/index.ts'

/** A GIF of one pixel. */
const EXAMPLE_IMAGE = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const name = () =>
  filledText().test(atMost(MAX_NAME_LENGTH)).meta({ description: 'The name of the file.', example: 'apples.png' })
const alt = () =>
  text().nullable().test(atMost(1_000)).meta({
    description:
      'A text for recipients who do not see the image, the default in new emails. Empty for a decorative image, and null if none has been written.',
    example: 'A box of apples',
  })

/** `GET /media-files`. */
export const mediaQuery = pageQuery({
  search: text()
    .test(atMost(MAX_NAME_LENGTH))
    .meta({ description: 'A part of the name or the alt text.', example: 'apples' }),
})

/** `POST /media-files`. */
export const mediaSchema = object({
  name: name().required(),
  alt: alt(),
  content: filledText().required().meta({
    description: 'The file in base64: a PNG, JPEG, GIF, WebP or SVG of at most 5 MB.',
    example: EXAMPLE_IMAGE,
  }),
}).meta({ component: 'MediaFileInput' })

/** `PATCH /media-files/{id}`. The route checks that there is a change. */
export const mediaChangeSchema = object({ name: name(), alt: alt() }).meta({
  component: 'MediaFileChange',
  description: 'The fields to change, at least one.',
  json: { minProperties: 1 },
  example: { alt: 'A box of apples' },
})

/** `POST /media-files/preview`. */
export const imageUrlSchema = object({
  url: filledText()
    .required()
    .test(atMost(2_000))
    .meta({ description: 'The URL of an image.', example: 'https://example.com/apples.png' }),
})
