/** By the addresses of the pictures. A browser that knows them leaves the place free, so that nothing moves when a picture arrives. */
export type PictureSizes = ReadonlyMap<string, { width: number; height: number }>

const PICTURE = /\bpictures\/([\w-]+\.png)/g
/** Where a PNG has its size. */
const [WIDTH_AT, HEIGHT_AT] = [16, 20]

/** The sizes of the pictures that a page shows. */
export async function sizesOf(
  source: string,
  pictures: (name: string) => Promise<Buffer | undefined>,
): Promise<PictureSizes> {
  const sizes = new Map<string, { width: number; height: number }>()
  for (const [, name = ''] of source.matchAll(PICTURE)) {
    const picture = await pictures(name)
    if (picture)
      sizes.set(`/docs/pictures/${name}`, {
        width: picture.readUInt32BE(WIDTH_AT),
        height: picture.readUInt32BE(HEIGHT_AT),
      })
  }
  return sizes
}
