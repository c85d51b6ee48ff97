"""Dice renderer: solids, layouts, faces, materials, and a painter that draws a die into a picture of a table.

NumPy, OpenCV and Pillow only. Pictures are ``uint8 (H, W, 3)`` BGR; die lengths are in circumscribed
radii; a pose is a unit quaternion ``(w, x, y, z)`` in a world whose z axis points up from the table.
"""
