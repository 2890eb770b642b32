"""dead_links.py SITE: prints each link within the site to a file or an anchor that
is not there. Exit 1 if there is any."""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = {'', 'top'}, set()
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == 'id' or (tag, name) == ('a', 'name'):
                self.anchors.add(value)
            elif name in ('href', 'src') and value:
                self.links.add(value)


site = os.path.realpath(sys.argv[1])
pages = {}
for folder, _, files in os.walk(site):
    for name in files:
        path = os.path.join(folder, name)
        pages[path] = Page(path) if name.endswith('.html') else None

dead = []
for path, page in pages.items():
    for link in page.links if page else ():
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or parts.path.startswith('/'):
            continue
        target = os.path.normpath(os.path.join(
            os.path.dirname(path), unquote(parts.path))) if parts.path else path
        # Doxygen links its list of nested classes also if all are private.
        if target not in pages or (
                pages[target] and unquote(parts.fragment) not in pages[target].anchors
                and parts.fragment != 'nested-classes'):
            dead.append('%s: %s' % (os.path.relpath(path, site), link))
print('\n'.join(sorted(dead)), end='\n' if dead else '')
sys.exit(bool(dead))
