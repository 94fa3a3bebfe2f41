// Lets the game start offline: the page comes from the network, or from the last visit.
const page = new URL('./', location).href

addEventListener('install', (event) => event.waitUntil(storage().then((cache) => cache.add(page))))

addEventListener('fetch', (event) => {
  if (event.request.url === page) event.respondWith(networkFirst(event.request))
})

const storage = () => caches.open('lighthouse')

async function networkFirst(request) {
  const cache = await storage()
  try {
    const response = await fetch(request)
    if (response.ok) await cache.put(page, response.clone())
    return response
  } catch {
    return cache.match(page)
  }
}
