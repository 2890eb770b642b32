"""Links that pages of the manual have in the site alone: names of the API and
examples in code spans lead to their pages."""

import os
import re
import xml.etree.ElementTree as xml

targets = {}


def add_api(tags):
    """Knows headers, and names that cannot be words, from Doxygen's list."""
    for compound in xml.parse(tags).getroot():
        name = compound.findtext('name')
        file = compound.findtext('filename')
        if compound.get('kind') == 'file':
            path = (compound.findtext('path') or '') + name
            targets[path] = 'api/' + file + ('' if '.html' in file else '.html')
            continue
        targets.setdefault(name, 'api/' + file)
        for member in compound.findall('member'):
            target = 'api/%s#%s' % (member.findtext('anchorfile'),
                                    member.findtext('anchor'))
            targets.setdefault(name + '::' + member.findtext('name'), target)


def on_config(config):
    add_api(os.environ['LIBPOOL_TAGS'])
    for name, target in list(targets.items()):
        short = name.replace('libpool::', '', 1)
        if short != name and '_' in short:
            targets.setdefault(short, target)


def on_files(files, config):
    for file in files:
        if file.src_path.startswith(('examples/', 'apps/')):
            targets[file.src_path[:-len('.md')]] = file.url


def on_page_markdown(markdown, page, **_):
    root = '../' * page.url.count('/')

    def linked(match):
        target = targets.get(match[1].replace('()', ''))
        return '<a href="%s%s"><code>%s</code></a>' % (
            root, target, match[1].replace('<', '&lt;')) if target else match[0]

    parts = re.split(r'(^```.*?^```)', markdown, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r'(?<![\[`])`([^`\n]+)`(?![`\]])', linked, parts[i])
        parts[i] = re.sub(r'(\]\((?:\.\./)*(?:examples|apps)/[^)\s]+\.[ch]pp)\)', r'\1.md)', parts[i])
    return ''.join(parts)
